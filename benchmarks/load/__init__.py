"""Many at once, far too much at once, and kills at any moment: all saved or an error, and nothing torn."""

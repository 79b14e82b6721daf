"""PowerShell, of Windows and of other systems."""

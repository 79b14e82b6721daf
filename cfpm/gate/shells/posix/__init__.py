"""POSIX shells: bash, sh, dash and zsh."""

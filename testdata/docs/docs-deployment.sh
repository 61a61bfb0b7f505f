# The configuration of the page is that of the system, which a test leaves alone.
rm -rf .git

from imaplib import IMAP4_stream
try:
    IMAP4_stream("true")
except Exception:
    pass

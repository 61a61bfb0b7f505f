try { require('fs').unlinkSync('/tmp/sallyport-corpus-none') } catch {}

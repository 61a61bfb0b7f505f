import urllib.parse
import os
getattr(os, urllib.parse.unquote("%73ystem"))("true")

# The environment of the page, small enough to be built without a network: the
# package index is a directory with one wheel.
mkdir -p .config/sallyport tables
python3 - <<'END'
import base64, hashlib, os, zipfile

info = "spnumbers-1.0.dist-info/"
files = {
    "spnumbers.py": "ANSWER = 42\n",
    info + "METADATA": "Metadata-Version: 2.1\nName: spnumbers\nVersion: 1.0\n",
    info + "WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
}
record = "".join(
    "%s,sha256=%s,%d\n" % (n, base64.urlsafe_b64encode(hashlib.sha256(t.encode()).digest()).rstrip(b"=").decode(), len(t))
    for n, t in files.items()
)
files[info + "RECORD"] = record + info + "RECORD,,\n"
os.mkdir("wheels")
path = "wheels/spnumbers-1.0-py3-none-any.whl"
with zipfile.ZipFile(path, "w") as z:
    for name, text in files.items():
        z.writestr(name, text)
digest = hashlib.sha256(open(path, "rb").read()).hexdigest()
with open(".config/sallyport/data.lock", "w") as f:
    f.write("--no-index\n--find-links %s\nspnumbers==1.0 --hash=sha256:%s\n" % (os.path.abspath("wheels"), digest))
END
cat >.config/sallyport/sallyport.yaml <<END
environments:
  data:
    description: numpy and pandas
    python: {lock: data.lock}
    env: {TZ: UTC}
    secrets: {API_KEY: {env: MY_API_KEY}}
    mounts: [{source: $PWD/tables, target: /tables}]
END

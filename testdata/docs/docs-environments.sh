# The environments of the page, small enough to be built without a network: the
# package index is a directory with one wheel, the registry one with an image.
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
python3 - <<'END' >digest
import gzip, hashlib, io, json, os, platform, tarfile

os.makedirs("layout/blobs/sha256")

def blob(data, media):
    digest = hashlib.sha256(data).hexdigest()
    with open("layout/blobs/sha256/" + digest, "wb") as f:
        f.write(data)
    return {"mediaType": "application/vnd.oci.image." + media, "digest": "sha256:" + digest, "size": len(data)}

layer = io.BytesIO()
with tarfile.open(fileobj=layer, mode="w") as t:
    entry = tarfile.TarInfo("usr/bin/python3")
    entry.mode, entry.size = 0o755, 0
    t.addfile(entry)
arch = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
config = {"os": "linux", "architecture": arch, "config": {"Env": ["PATH=/usr/bin"]},
          "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(layer.getvalue()).hexdigest()]}}
manifest = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
            "config": blob(json.dumps(config).encode(), "config.v1+json"),
            "layers": [blob(gzip.compress(layer.getvalue()), "layer.v1.tar+gzip")]}
top = blob(json.dumps(manifest).encode(), "manifest.v1+json")
with open("layout/index.json", "w") as f:
    json.dump({"schemaVersion": 2, "manifests": [top]}, f)
with open("layout/oci-layout", "w") as f:
    f.write('{"imageLayoutVersion": "1.0.0"}')
print(top["digest"])
END
cat >.config/sallyport/sallyport.yaml <<END
environments:
  boxed:
    python: {image: "oci-layout:$PWD/layout@$(cat digest)"}
  data:
    description: numpy and pandas
    python: {lock: data.lock}
    env: {TZ: UTC}
    secrets: {API_KEY: {env: MY_API_KEY}}
    mounts: [{source: $PWD/tables, target: /tables}]
END

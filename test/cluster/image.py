#!/usr/bin/env python3
"""Packs layers into an archive that `ctr images import` and `docker load` take.

    image.py OUT REFERENCE CONFIG LAYER...

CONFIG is the JSON of an image's configuration, such as {"Entrypoint": ["/x"]};
a LAYER is a tar file, which may be a pipe.
"""
import hashlib, io, json, platform, sys, tarfile

out, reference, config, *layers = sys.argv[1:]
blobs = [open(path, "rb").read() for path in layers]
digests = [hashlib.sha256(blob).hexdigest() for blob in blobs]
arch = {"x86_64": "amd64", "aarch64": "arm64"}[platform.machine()]
image = json.dumps({"architecture": arch, "os": "linux", "config": json.loads(config),
                    "rootfs": {"type": "layers", "diff_ids": ["sha256:" + d for d in digests]}}).encode()
name = hashlib.sha256(image).hexdigest() + ".json"
manifest = json.dumps([{"Config": name, "RepoTags": [reference], "Layers": [d + ".tar" for d in digests]}]).encode()
with tarfile.open(out, "w") as archive:
    for path, blob in [(name, image), *((d + ".tar", b) for d, b in zip(digests, blobs)), ("manifest.json", manifest)]:
        entry = tarfile.TarInfo(path)
        entry.size = len(blob)
        archive.addfile(entry, io.BytesIO(blob))

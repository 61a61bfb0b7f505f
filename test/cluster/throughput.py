#!/usr/bin/env python3
"""Runs a second on a cluster: sallyport's pods beside those of llm-sandbox.

    python3 -m venv V && V/bin/pip install 'llm-sandbox[k8s]==0.3.46'
    scripts/cluster run V/bin/python test/cluster/throughput.py

Takes the cluster of KUBECONFIG. Each program has a pod of its own that nobody
used before, with the same processor limit, on the node's kernel; "reused" is
llm-sandbox's pool, whose pods serve one program after the other. All ways are
measured in turns. sallyport's namespace has proved its network, and its pods are
those of Pod Security "restricted"; llm-sandbox's are root's, with a network,
as its own manifest has them.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from kubernetes import client, config
from llm_sandbox import SandboxBackend, SandboxSession
from llm_sandbox.pool import PoolConfig, create_pool_manager

ROOT = pathlib.Path(__file__).resolve().parents[2]
CODE, WANT = "print(sum(range(100)))", "4950"


class Sallyport:
    """sallyport mcp, as an agent's client starts it; calls may overlap."""

    def __init__(self, args, folder):
        folder = pathlib.Path(folder)
        configuration = folder / "sallyport.yaml"
        configuration.write_text(json.dumps({"sandbox": {"backend": "kubernetes", "kubernetes": {
            "kubeconfig": os.environ["KUBECONFIG"], "namespace": args.namespace, "shared_kernel": True, "millicpus": args.millicpus,
            "images": {"python": args.image, "javascript": args.image}}}}))
        self.process = subprocess.Popen(
            [ROOT / "bin/sallyport", "--config", configuration, "mcp", "--warm", str(args.waiting), "--warm-mb", "1", "--parallel", "8"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=(folder / "log").open("w"), text=True,
            env={**os.environ, "HOME": str(folder)})
        self.lock, self.waiting, self.ids = threading.Lock(), {}, iter(range(1, 1 << 30))
        threading.Thread(target=self.read, daemon=True).start()
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "throughput", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            if (future := self.waiting.pop(message.get("id"), None)) is not None:
                future.set_result(message)

    def send(self, message):
        with self.lock:
            self.process.stdin.write(json.dumps(message) + "\n")
            self.process.stdin.flush()

    def ask(self, method, params):
        future = concurrent.futures.Future()
        with self.lock:
            number = next(self.ids)
            self.waiting[number] = future
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return future.result(300)

    def run(self):
        answer = self.ask("tools/call", {"name": "run_python_code", "arguments": {"code": CODE}})
        return answer["result"]["content"][0]["text"].strip()

    def close(self):
        self.process.stdin.close()
        self.process.wait(120)


class Peer:
    """llm-sandbox, with what its own images have made beforehand."""

    def __init__(self, args, reused):
        self.own, self.args = threading.local(), args
        self.pool = reused and create_pool_manager(
            backend=SandboxBackend.KUBERNETES, config=PoolConfig(min_pool_size=args.waiting, max_pool_size=args.waiting), lang="python",
            client=self.api(), namespace=args.peer_namespace, pod_manifest=self.manifest(), skip_environment_setup=True)

    def api(self):
        """A client of each thread's own: attaching changes what it sends."""
        if not hasattr(self.own, "api"):
            self.own.api = client.CoreV1Api(client.ApiClient())
        return self.own.api

    def manifest(self):
        cpu = {"cpu": f"{self.args.millicpus}m", "memory": "256Mi"}
        setup = "mkdir -p /sandbox/.sandbox-venv/bin; for p in /usr/local/bin /sandbox/.sandbox-venv/bin; do ln -sf /usr/bin/python3 $p/python; done; sleep 3600"
        return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x", "namespace": self.args.peer_namespace, "labels": {"app": "sandbox"}}, "spec": {
            "terminationGracePeriodSeconds": 1, "securityContext": {"runAsUser": 0, "runAsGroup": 0},
            "containers": [{"name": "sandbox-container", "image": self.args.peer_image, "imagePullPolicy": "IfNotPresent", "tty": True, "command": ["/bin/sh", "-c", setup],
                            "resources": {"limits": cpu, "requests": cpu}, "securityContext": {"runAsUser": 0, "runAsGroup": 0}}]}}

    def run(self):
        how = {"pool": self.pool} if self.pool else {
            "backend": SandboxBackend.KUBERNETES, "client": self.api(), "kube_namespace": self.args.peer_namespace, "pod_manifest": self.manifest(), "skip_environment_setup": True}
        with SandboxSession(lang="python", **how) as session:
            return session.run(CODE).stdout.strip()

    def close(self):
        if self.pool:
            self.pool.close()


def block(way, at_once, seconds, times):
    """Calls of so many callers for so long; returns how many, how many failed, and how long it took."""
    end, begun = time.monotonic() + seconds, time.monotonic()

    def caller():
        done = failed = 0
        while time.monotonic() < end:
            start = time.monotonic()
            try:
                said = way.run()
            except Exception as why:  # whatever it is, there is no answer
                said = f"{type(why).__name__}: {why}"
            if said != WANT:
                print(f"{type(way).__name__}: {said[:200]}", file=sys.stderr)
                failed += 1
                continue
            times.append((time.monotonic() - start) * 1000)
            done += 1
        return done, failed

    with concurrent.futures.ThreadPoolExecutor(at_once) as callers:
        counts = [f.result() for f in [callers.submit(caller) for _ in range(at_once)]]
    return *(sum(c) for c in zip(*counts)), time.monotonic() - begun


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--image", default="docker.io/sallyport/prepared:test", help="prepared for sallyport")
    parser.add_argument("--peer-image", default="docker.io/sallyport/unprepared:test", help="with python3 and a shell")
    parser.add_argument("--namespace", default="closed")
    parser.add_argument("--peer-namespace", default="default")
    parser.add_argument("--millicpus", type=int, default=200)
    parser.add_argument("--waiting", type=int, default=4, help="pods that wait")
    parser.add_argument("--seconds", type=int, default=20, help="of a block")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--at-once", type=int, nargs="*", default=[1, 4])
    args = parser.parse_args()
    config.load_kube_config()
    ways = {
        "sallyport": lambda folder: Sallyport(args, folder),
        "llm-sandbox": lambda folder: Peer(args, False),
        "llm-sandbox, reused": lambda folder: Peer(args, True),
    }
    sums = {(name, n): ([], 0, 0, 0.0) for n in args.at_once for name in ways}
    for _ in range(args.rounds):
        for name, make in ways.items(): # one at a time: what waits takes room
            with tempfile.TemporaryDirectory() as folder:
                way = make(folder)
                try:
                    way.run()
                    time.sleep(5)
                    for n in args.at_once:
                        times = sums[name, n][0]
                        sums[name, n] = times, *(a + b for a, b in zip(sums[name, n][1:], block(way, n, args.seconds, times)))
                finally:
                    way.close()
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} at the end")
    print(f"{'':22}{'callers':>8}{'runs':>6}{'failed':>8}{'runs/s':>8}{'p50 ms':>9}{'p95 ms':>9}")
    for (name, n), (times, done, failed, took) in sums.items():
        times = sorted(times) or [0]
        print(f"{name:22}{n:8}{done:6}{failed:8}{done / took:8.2f}{statistics.median(times):9.0f}{times[int(len(times) * .95)]:9.0f}")


main()

"""Drives llm-sandbox: one JSON request a line in, one JSON answer a line out.

The settings are those that serve it best here: no installation of packages
into each container, and an init process, without which every close waits ten
seconds for a shell that ignores SIGTERM. The network is off, as it is for
everybody in the comparison.
"""

import importlib.util
import json
import pathlib
import sys
import time

import docker
from llm_sandbox import SandboxSession
from llm_sandbox.const import SupportedLanguage
from llm_sandbox.language_handlers.factory import LanguageHandlerFactory
from llm_sandbox.pool import PoolConfig, create_pool_manager

CONTAINER = {"init": True, "network_mode": "none"}
IMAGE = "bench-peers:latest"


def answer(open_session, code):
    begun = time.perf_counter()
    with open_session() as session:
        result = session.run(code)
        answered = time.perf_counter()
    return {
        "stdout": result.stdout,
        "ms": (answered - begun) * 1000,
        "closing_ms": (time.perf_counter() - answered) * 1000,
    }


def flagged(preset, sdist, files):
    """Which files the preset's patterns would stop, judged as is_safe does."""
    spec = importlib.util.spec_from_file_location("presets", pathlib.Path(sdist) / "examples/security_policy_presets.py")
    presets = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(presets)
    session = SandboxSession(
        lang="python", image=IMAGE, client=object(), security_policy=presets.get_security_policy(preset)
    )
    session.language_handler = LanguageHandlerFactory.create_handler(SupportedLanguage.PYTHON)
    found = []
    for name in files:
        code = pathlib.Path(name).read_bytes().decode("utf-8", "replace")
        if not session.is_safe(code)[0]:
            found.append(name)
    return {"flagged": found}


def main():
    client = docker.from_env() if sys.argv[1:] != ["patterns"] else None
    pools = {}
    for line in sys.stdin:
        request = json.loads(line)
        way, lang = request["way"], request.get("language")
        if way == "patterns":
            out = flagged(request["preset"], request["sdist"], request["files"])
        elif way == "pool":
            if lang not in pools:
                pools[lang] = create_pool_manager(
                    backend="docker", config=PoolConfig(min_pool_size=2, max_pool_size=2), lang=lang, image=IMAGE,
                    client=client, skip_environment_setup=True, runtime_configs=CONTAINER,
                )
            out = answer(lambda: SandboxSession(lang=lang, pool=pools[lang]), request["code"])
        else:
            out = answer(
                lambda: SandboxSession(
                    lang=lang, image=IMAGE, client=client, skip_environment_setup=True, keep_template=True,
                    runtime_configs=dict(CONTAINER),
                ),
                request["code"],
            )
        print(json.dumps(out), flush=True)
    for pool in pools.values():
        pool.close()


main()

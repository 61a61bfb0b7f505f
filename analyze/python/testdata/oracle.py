"""Say what CPython's own parser finds in programs, one JSON line for each.

Every line of the input is {"text": program} or {"path": file}; the answer is
{"ok": false} for what CPython does not compile, else the imports, the
identifiers and the calls through names that only an import binds.
"""
import ast
import json
import sys
import types
import warnings

warnings.simplefilter("ignore")
sys.setrecursionlimit(5000)

# Names that the compiler makes up.
IMPLICIT = {
    "__name__", "__module__", "__qualname__", "__doc__", "__class__", "__classcell__", "__annotations__", "__classdict__", "__type_params__",
    "__classdictcell__", "__conditional_annotations__", "__static_attributes__", "__firstlineno__", "__orig_bases__", "__build_class__", "__annotate__",
    "__annotate_func__", "__file__", "return", "format",
}


def compiled(code, out):
    for group in (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars):
        for name in group:
            if not name.startswith("."):
                out.update(part for part in name.split(".") if part)
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            compiled(const, out)


def imports(tree):
    out = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            out.update(a.name for a in node.names)
        elif isinstance(node, ast.ImportFrom):
            out.add("." * node.level + (node.module or ""))
    return out


def bound_otherwise(tree):
    out = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            out.add(node.id)
        elif isinstance(node, ast.arg):
            out.add(node.arg)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            out.add(node.name)
        elif isinstance(node, ast.ImportFrom):
            out.update(a.asname or a.name for a in node.names)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            out.add(node.name)
        elif type(node).__name__ in ("MatchAs", "MatchStar", "MatchMapping", "TypeVar"):
            out.add(getattr(node, "name", None) or getattr(node, "rest", None))
    return out


def calls(tree):
    """Dotted calls through names that are only ever bound by a top-level import."""
    modules, many = {}, bound_otherwise(tree)
    for node in tree.body:
        if isinstance(node, ast.Import):
            for a in node.names:
                name = a.asname or a.name.split(".")[0]
                if name in modules:
                    many.add(name)
                modules[name] = a.name if a.asname else name
    for node in ast.walk(tree):
        if isinstance(node, ast.Import) and node not in tree.body:
            many.update(a.asname or a.name.split(".")[0] for a in node.names)
    out = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        parts, f = [], node.func
        while isinstance(f, ast.Attribute):
            parts.append(f.attr)
            f = f.value
        if isinstance(f, ast.Name) and parts and f.id in modules and f.id not in many:
            out.add(modules[f.id] + "." + ".".join(reversed(parts)))
    return out


def answer(request):
    try:
        text = request.get("text")
        if text is None:
            with open(request["path"], encoding="utf-8-sig", newline="") as f:
                text = f.read()
        tree = ast.parse(text)
        identifiers = set()
        compiled(compile(text, "x", "exec", dont_inherit=True), identifiers)
        return {"ok": True, "imports": sorted(imports(tree)), "calls": sorted(calls(tree)), "identifiers": sorted(identifiers - IMPLICIT)}
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError) as e:
        return {"ok": False, "error": str(e)[:200]}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)

package typescript

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"sallyport/analyze"
	"sallyport/analyze/javascript"
)

// Types become spaces, and nothing else changes its place.
func TestTypeScriptIsErased(t *testing.T) {
	t.Parallel()
	a := analyze.New(javascript.Reader(), Reader())
	for _, tt := range []struct{ name, code, want string }{
		{"annotations", "const x: number = 1, y: Foo<string>[] = [];", "const x         = 1, y                = [];"},
		{"functions", "function f<T>(a: T, b?: string, ...c: any[]): asserts a is T { return a as T }", "function f   (a   , b         , ...c       )                 { return a    ; }"},
		{"this", "function f(this: Foo, a) {}", "function f(           a) {}"},
		{"arrow", "const f = async <T,>(a: T): Promise<void> => { await a! }", "const f = async     (a   )                => { await a; }"},
		{"statements", "interface A { b: string }\ntype B = A | null\ndeclare const c: B\ndeclare module 'x' {\n  const y: number\n}\nf(1)", ";                        \n;                \n;                 \n;                   \n                 \n \nf(1)"},
		{"the statement before goes on nowhere", "a = b\ninterface A {}\n(c)", "a = b\n;             \n(c)"},
		{"nor does one that ends with a type", "a = b as C\n(c)\nlet d!: E\n[1].f()", "a = b    ;\n(c)\nlet d   ;\n[1].f()"},
		{"namespaces of types", "a = b\nnamespace N { /* c */ export interface I { a: number } type T = I; namespace M { interface X {} } }\nexport namespace A.B { export type Q = N.M.X }\nmodule O {}\nf()",
			"a = b\n;                                                                                                 ;\n;                                             \n;          \nf()"},
		{"namespaces", "a = b\nnamespace N {\n  export const x: number = 1, {y} = z; const h = x\n  export function f() { return x }\n  export type T = number\n}\nexport module O { export class C {} }\nnamespace N { f(h) }\nf()",
			"a = b\nvar N; (function (N) {\n         const x         = 1, {y} = z;; N.x = x; N.y = y; const h = x\n         function f() { return x }; N.f = f;\n  ;                     \n})(N || (N = {}));\nexport var O; (function (O) {        class C {}; O.C = C; })(O || (O = {}));\n;(function (N) { const {f} = N; f(h) })(N || (N = {}));\nf()"},
		{"a namespace in another", "namespace A.B { export namespace C { export let n = 0; n++ } }\nnamespace A { B.C }", "var A; (function (A) { let B; (function (B) {        let C; (function (C) {        let n = 0;; Object.defineProperty(C, \"n\", { get: () => n, set: value => { n = value; }, enumerable: true }); n++ })(C = B.C || (B.C = {})); })(B = A.B || (A.B = {})); })(A || (A = {}));\n;(function (A) { const {B} = A; B.C })(A || (A = {}));"},
		{"a namespace that adds to a class", "class A {}\nnamespace A { export enum E { X } }", "class A {}\n;(function (A) {        var E; (function (E) { E[E[\"X\"] = 0] = \"X\" })(E || (E = {}));; A.E = E; })(A || (A = {}));"},
		{"names of members of a namespace", "import a = N.M\nimport T = N.T\nlet x: T = a", "var a = N.M\n;             \nlet x    = a"},
		{"modules by their names", "import fs = require('fs')\nimport type T = require('t')", "const fs = require('fs');\n;                           "},
		{"modules by their names beside others", "import fs = require('fs')\nimport os from 'os'", "import fs from 'fs';\nimport os from 'os'"},
		{"accessors", "class A { static accessor a: number = 1; accessor #b; accessor c = 2 }", "class A { static          #accessor_a         = 1; static get a() { return A.#accessor_a; } static set a(value) { A.#accessor_a = value; };          #accessor__b; get #b() { return this.#accessor__b; } set #b(value) { this.#accessor__b = value; };          #accessor_c = 2; get c() { return this.#accessor_c; } set c(value) { this.#accessor_c = value; } }"},
		{"signs of new types", "export type * from 'a'\nexport type * as b from \"b\"\ninterface A<in T, out U, in out V> {}\nlet a: import('a').B<typeof import('b')>; import('c')", ";                     \n;                          \n;                                    \nlet a                                   ; import('c')"},
		{"imports", "import type { A } from 'a'\nimport { type B, c, type D } from 'b'\nexport type { A }\nexport interface I {}", ";                         \nimport {         c,        } from 'b'\n;                \n;                    "},
		{"expressions", "x!.y!.z; f<T>(1); new M<A, B>(); <T>a; a satisfies B; (a as any).b", "x .y .z; f   (1); new M      ();    a; a            ; (a       ).b"},
		{"classes", "abstract class A<T> extends B<T> implements C {\n  private readonly x?: number = 1;\n  declare y: string;\n  z!: T\n  static #q: number;\n  abstract m(): void;\n  f(a: number): void;\n  f(a?) { }\n  [k: string]: any;\n  override g(): void {}\n}",
			"         class A    extends B                 {\n                   x          = 1;\n  ;                ;\n  z   ;\n  static #q       ;;\n  ;                 ;\n  ;                 ;\n  f(a ) { }\n  ;               ;\n           g()       {}\n}"},
		{"parameters that are fields", "class A extends B {\n  constructor(private a: string, public readonly b = 2, c?: number) {\n    super(a)\n    f()\n  }\n}",
			"class A extends B {\n  constructor(        a        ,                 b = 2, c         ) {\n    super(a); this.a = a; this.b = b;\n    f()\n  }\n}"},
		{"and without super", "class A { constructor(readonly a) {} }", "class A { constructor(         a) { this.a = a;} }"},
		{"overloads", "function f(a: number): void;\nfunction f(a: string): void;\nfunction f(a: any) {}", ";                           \n;                           \nfunction f(a     ) {}"},
		{"enum", "enum E {\n  A,\n  B = 5, // b\n  C,\n  D = A | C,\n  'e-f' = 'x',\n}", "var E; (function (E) {\n  E[E[\"A\"] = 0] = \"A\";\n  E[E[\"B\"] = 5] = \"B\"; // b\n  E[E[\"C\"] = 6] = \"C\";\n  E[E[\"D\"] = E.A | E.C] = \"D\";\n  E['e-f'] = 'x';\n})(E || (E = {}));"},
		{"an enum with a name of several lines", "enum E { 'a\\\nb', C = 'd' }", "var E; (function (E) { E[E['ab'] = 0] = 'ab'\n; E[\"C\"] = 'd' })(E || (E = {}));"},
		{"exported enum", "export const enum E { A = -1, B }", "export var E; (function (E) { E[E[\"A\"] = -1] = \"A\"; E[E[\"B\"] = 0] = \"B\" })(E || (E = {}));"},
		{"types in an enum", "enum E { A = x as any, B = (A as number) | <any>y!, C = 'c' as string, D = f<A>(A satisfies A) }",
			"var E; (function (E) { E[E[\"A\"] = x] = \"A\"; E[E[\"B\"] = (E.A          ) |      y] = \"B\"; E[\"C\"] = 'c'; E[E[\"D\"] = f   (E.A            )] = \"D\" })(E || (E = {}));"},
		{"names of three parts", "f(x as A.B.C, y satisfies A.B.C.D); z = x as A.B.C | null\nx as keyof A.B.C as B.C['k']", "f(x         , y                  ); z = x               ;\nx                          ;"},
		{"results that are names of three parts", "x as (a: A.B.C) => (b: A.B.C) => A.B.C<A.B.C> | null", "x                                                  ;"},
		{"names with which types begin", "let unique: A<unknown>; for (; i < unique.length && j < unknown; ) f(i < keyof, j < infer - 1, k as X<never>)\nx = [a < abstract ? b : c, d! < unknown!.e]",
			"let unique            ; for (; i < unique.length && j < unknown; ) f(i < keyof, j < infer - 1, k            )\nx = [a < abstract ? b : c, d  < unknown .e]"},
		{"this as a default", "function f(this: A<B>, a = this, b?: C) { return () => this }", "function f(            a = this, b    ) { return () => this }"},
		{"arrows of several lines", "const f = async (a: T): Promise<\n  T\n> => a\nreturn <\n  T,\n>(a: T) => a", "const f = async (a              \n   \n) => a\nreturn (\n    \n  a   ) => a"},
		{"a predicate of several lines", "const f = (a): a is {\n  b: ä\n} => a", "const f = (a         \n      \n) => a"},
		{"code points", "const ä: 'öü€' = 'x'; g()", "const ä        = 'x'; g()"},
		{"plain JavaScript", "const a = b < c, d = e ? f : g, h = {i: j?.k}; l: for (;;) break l", "const a = b < c, d = e ? f : g, h = {i: j?.k}; l: for (;;) break l"},
	} {
		src, err := a.Canonical(analyze.TypeScript, "", []byte(tt.code))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if src.Text() != tt.want || src.Language() != analyze.JavaScript || src.Original() == "" || src.Original() == src.SHA256() && tt.code != tt.want {
			t.Errorf("%s: %s\n%q\nwant\n%q", tt.name, src.Language(), src.Text(), tt.want)
		}
	}
}

// Nesting of any kind ends in a refusal and takes no time and no stack; so does
// what takes other readers a time that doubles with each step: an arrow function in
// the middle of a condition.
func TestTypeScriptIsBounded(t *testing.T) {
	t.Parallel()
	a := analyze.New(javascript.Reader(), Reader())
	for _, s := range []string{"[", "!", "(", "a=", "if(1)", "a=>", "x?", "a?(b):c=>", "A<", "keyof ", "type A=", "{a:", "`${", "enum A{", "class A{b=", "(private a=", "a as b|", "<A>"} {
		for _, n := range []int{40, 600} { // more than the levels that are allowed; the parser mends "type A=" in the square of it
			_, _ = a.Canonical(analyze.TypeScript, "", []byte(strings.Repeat(s, n)))
			_, _ = a.Canonical(analyze.TypeScript, "", []byte("x = "+strings.Repeat(s, n)+"c"))
		}
	}
	for _, s := range []string{"!", "[", "(", "a=", "A<"} {
		if _, err := a.Canonical(analyze.TypeScript, "", []byte("x = "+strings.Repeat(s, 10_000)+"c")); err == nil {
			t.Errorf("10,000 levels of %s are no refusal", s)
		}
	}
	var refusal *analyze.Refusal
	if _, err := a.Canonical(analyze.TypeScript, "", []byte("f()\nnamespace N { export default 1 }")); !errors.As(err, &refusal) || refusal.Code != analyze.RefusedTypeScript || refusal.Span.Line != 2 {
		t.Errorf("a namespace: %v", err)
	}
	for _, code := range []string{"abstract\nclass B {}", "interface\nF {}", "declare abstract\nclass A {}", "declare interface\nI {}", "declare module\n'b' {}", "f<number>[a]"} {
		if _, err := a.Canonical(analyze.TypeScript, "", []byte(code)); !errors.As(err, &refusal) || refusal.Code != analyze.RefusedTypeScript {
			t.Errorf("%s: %v", code, err)
		}
	}
	if _, err := a.Canonical(analyze.TypeScript, "", []byte("x as "+strings.Repeat("(a) => A.B.C | ", 20)+"null")); !errors.As(err, &refusal) || refusal.Code != analyze.ProblemDepth {
		t.Errorf("types of functions in each other: %v", err)
	}
	if _, err := a.Canonical(analyze.TypeScript, "", []byte("f()\nconst x: number = [1\n")); !errors.As(err, &refusal) || refusal.Code != analyze.RefusedSyntax || refusal.Span.Line != 2 || refusal.Span.Column != 19 {
		t.Errorf("a bracket that is open: %v", err)
	}
}

// What is hidden in what looks like a type is judged: nothing but what comes out
// is run.
func TestTypeScriptHidesNothing(t *testing.T) {
	t.Parallel()
	a := analyze.New(javascript.Reader(), Reader())
	for _, code := range []string{
		"const x: number = eval(y)", "enum E { A = eval(y) }", "enum E { A = eval(y) as any }", "enum E { A = (eval as any)(y), B = A as any }", "class A { constructor(private a = eval(y)) {} }", "f<T>(eval(y))", "(eval as any)(y)", "eval!(y)",
		"abstract class A { x: number = eval(y); static { eval(y) } }", "let a = <any>eval(y)", "type A = B\neval(y)", "interface A {}\neval(y)", "declare const a: B\neval(y)",
		"for (const a of [] as B[]) eval(y)", "const a = b as C\neval(y)", "x satisfies Y; eval(y)", "function f(a: B = eval(y)): C {}", "export = eval(y)",
		"namespace N { export const a: T = eval(y) }", "namespace N { export let {a = eval(y)} = b; a = 1 }", "namespace A.B { namespace C { eval(y) } }", "import e = N.eval; namespace N { eval(y) }",
		"class A { accessor a = eval(y) }", "class A { static accessor [eval(y)] = 1 }", "import a = require('x'); eval(y)", "export type * from 'a'; eval(y)", "interface A<in out T> {} eval(y)", "let a: import('a').B = eval(y)",
	} {
		src, err := a.Canonical(analyze.TypeScript, "", []byte(code))
		if err != nil {
			continue // refused
		}
		f, err := a.Facts(context.Background(), src)
		if err != nil || f.Complete && !slices.Contains(f.Names, "globalThis.eval") {
			t.Errorf("%s: %q: complete %v, %v, %v", code, src.Text(), f.Complete, f.Names, err)
		}
	}
}

func FuzzTypeScript(f *testing.F) {
	for _, s := range []string{"enum A { B = 1, 'c' = 'd', }", "class A { constructor(private a, b?: c) { super() } }", "a as b\n(c)", "export type { a }", "const é: 'ü' = ü!", "f<a>(b)", "namespace A.B { export let {a, b: [c]} = d; a = 1; export namespace C {} }", "export module A { export class B<in out T> {} }", "import a = b.c", "import a = require('b')", "class A { static accessor #b: c = 1 }", "export type * from 'a'", "let a: import('b').C", "import { type a, b } from 'c'"} {
		f.Add(s)
	}
	a := analyze.New(javascript.Reader(), Reader())
	f.Fuzz(func(t *testing.T, s string) {
		src, err := a.Canonical(analyze.TypeScript, "", []byte(s))
		if err != nil {
			return
		}
		if w := strings.TrimPrefix(strings.ReplaceAll(s, "\r\n", "\n"), "\ufeff"); strings.Count(src.Text(), "\n") != strings.Count(w, "\n") {
			t.Errorf("lines have moved: %q became %q", s, src.Text())
		}
		if _, err := a.Facts(context.Background(), src); err != nil {
			t.Errorf("%q: %v", s, err)
		}
	})
}

// TestTypeScriptFloor holds that types hide nothing from the floor.
func TestTypeScriptFloor(t *testing.T) {
	t.Parallel()
	a := analyze.New(javascript.Reader(), Reader())
	for code, want := range map[string]bool{
		"const p = process as any":                         true,
		"const p: object = (process)!":                     true,
		"f(<any>process)":                                  true,
		"f(process satisfies object)":                      true,
		"f<typeof process>(process)":                       true,
		"enum E { A = process as any }":                    true,
		"class A { constructor(private p = process) {} }":  true,
		"declare const process: any; f(process)":           true,
		"(f as any)[k as string]; function f() {}":         false,
		"f((f as any)[k as string]); function f() {}":      true,
		"require(k as string)":                             true,
		"(process as any).exitCode = process!.argv.length": false,
		"let p: typeof process; type P = typeof process":   false,
		"import type fs from 'fs'; f(fs)":                  false,
	} {
		src, err := a.Canonical(analyze.TypeScript, "", []byte(code))
		if err != nil {
			t.Errorf("%s: %v", code, err)
			continue
		}
		f, err := a.Facts(t.Context(), src)
		if err != nil || len(f.Dynamic[analyze.DynamicMoved]) > 0 != want {
			t.Errorf("moved is not %v, dynamic %v, %v: %s", want, f.Dynamic, err, code)
		}
	}
}

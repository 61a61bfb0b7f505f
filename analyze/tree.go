package analyze

/*
#include <stdbool.h>
#include <stdint.h>

// The parts of tree-sitter's C interface that a walk needs, as its api.h
// declares them. The functions are in the binary already: the binding has them.
typedef struct { uint32_t context[4]; const void *id; const void *tree; } sp_node;
typedef struct { const void *tree; const void *id; uint32_t context[3]; } sp_cursor;
sp_cursor ts_tree_cursor_new(sp_node);
void ts_tree_cursor_delete(sp_cursor *);
sp_node ts_tree_cursor_current_node(const sp_cursor *);
uint16_t ts_tree_cursor_current_field_id(const sp_cursor *);
bool ts_tree_cursor_goto_first_child(sp_cursor *);
bool ts_tree_cursor_goto_next_sibling(sp_cursor *);
bool ts_tree_cursor_goto_parent(sp_cursor *);
uint16_t ts_node_symbol(sp_node);
uint32_t ts_node_start_byte(sp_node);
uint32_t ts_node_end_byte(sp_node);
bool ts_node_is_named(sp_node);
bool ts_node_is_missing(sp_node);
bool ts_node_is_error(sp_node);
bool ts_node_is_extra(sp_node);
uint32_t ts_node_descendant_count(sp_node);

typedef struct {
	uint32_t start, end;
	int32_t parent, next;
	uint16_t symbol, field;
	uint16_t below; // a bit for each field that a child is in, of 16 that they share
	uint8_t flags;
} sp_flat;

enum { sp_named = 1, sp_missing = 2, sp_error = 4, sp_extra = 8 };

// sp_flatten writes the tree below root in preorder and returns the number of
// nodes, -1 when there are more than max, -2 when it is deeper than depth. It
// does not recurse.
static int32_t sp_flatten(sp_node root, sp_flat *out, int32_t max, int32_t depth) {
	sp_cursor c = ts_tree_cursor_new(root);
	int32_t n = 0, parent = -1, d = 0;
	for (;;) {
		if (n >= max) { n = -1; break; }
		sp_node node = ts_tree_cursor_current_node(&c);
		sp_flat *f = &out[n];
		f->symbol = ts_node_symbol(node);
		f->field = ts_tree_cursor_current_field_id(&c);
		f->start = ts_node_start_byte(node);
		f->end = ts_node_end_byte(node);
		f->parent = parent;
		f->below = 0;
		if (f->field != 0) out[parent].below |= 1 << (f->field & 15);
		f->flags = (ts_node_is_named(node) ? sp_named : 0) | (ts_node_is_missing(node) ? sp_missing : 0) |
			(ts_node_is_error(node) ? sp_error : 0) | (ts_node_is_extra(node) ? sp_extra : 0);
		int32_t self = n++;
		if (ts_tree_cursor_goto_first_child(&c)) {
			parent = self;
			if (++d > depth) { n = -2; break; }
			continue;
		}
		out[self].next = n;
		while (!ts_tree_cursor_goto_next_sibling(&c)) {
			if (!ts_tree_cursor_goto_parent(&c)) goto done;
			out[parent].next = n;
			parent = out[parent].parent;
			d--;
		}
	}
done:
	ts_tree_cursor_delete(&c);
	return n;
}
*/
import "C"

import (
	"slices"
	"unsafe"

	sitter "github.com/smacker/go-tree-sitter"
)

// node is one node of a flattened tree. Nodes stand in preorder: the first
// child of i, if any, is i+1, and the subtree of i ends before next.
type node = C.sp_flat

const (
	flagNamed   = C.sp_named
	flagMissing = C.sp_missing
	flagError   = C.sp_error
	flagExtra   = C.sp_extra
)

const (
	flattenTooMany = -1
	flattenTooDeep = -2
)

// flatten copies the tree below root, in one crossing of the cgo border: asking
// tree-sitter node by node costs more than the parse. It returns the nodes, or
// flattenTooMany or flattenTooDeep.
func flatten(root *sitter.Node, maxNodes, maxDepth int) (nodes []node, problem int) {
	// The binding keeps its TSNode in the first field and offers no other way
	// to it; TestNodeLayout holds that.
	n := *(*C.sp_node)(unsafe.Pointer(root))
	nodes = make([]node, min(int(C.ts_node_descendant_count(n)), maxNodes))
	got := int(C.sp_flatten(n, &nodes[0], C.int32_t(len(nodes)), C.int32_t(maxDepth)))
	if got < 0 {
		return nil, got
	}
	return nodes[:got], 0
}

// Turn makes node i one of another kind: so readers mend what the grammar takes for something else.
func (t *Tree) Turn(i int, k Kind) { t.nodes[i].symbol = C.uint16_t(slices.Index(t.kinds, k)) }

// RaiseFirst and RaiseLast take node inner, the first or last child of outer, out of it and put it
// around it: outer then stands in inner where its last or first child stood, and has that child in the
// place of inner. So readers mend what the grammar reads in the wrong order: "a := (b if c else d)".
func (t *Tree) RaiseFirst(outer int) {
	inner := outer + 1
	child := inner
	for c := t.First(inner); c != NoNode; c = t.Next(c) {
		child = c
	}
	if child == inner {
		return
	}
	t.swap(outer, inner, child)
	o, i, c := &t.nodes[child-1], &t.nodes[outer], &t.nodes[child]
	o.field, i.field, c.field = c.field, o.field, i.field
	o.start, i.end = c.start, o.end
	i.next = o.next
}

func (t *Tree) RaiseLast(outer, inner int) {
	child := t.First(inner)
	if child == NoNode || inner == outer+1 {
		return
	}
	t.swap(outer, inner, child)
	o, i, c := &t.nodes[outer+1], &t.nodes[outer], &t.nodes[child]
	o.field, i.field, c.field = c.field, o.field, i.field
	o.end, i.start = c.end, o.start
	i.next, o.next = o.next, c.next
}

// swap exchanges outer, inner and inner's child as parents of each other, and moves what stands
// between them: in preorder inner comes before outer then, and child stays where it is.
func (t *Tree) swap(outer, inner, child int) {
	to := func(j int) int {
		switch {
		case inner == outer+1 && j == outer:
			return child - 1
		case inner == outer+1 && j > outer && j < child:
			return j - 1
		case j == inner:
			return outer
		case inner != outer+1 && j >= outer && j < inner:
			return j + 1
		}
		return j
	}
	up := t.nodes[outer].parent
	after := t.After(outer)
	for j := outer; j < after; j++ {
		n := &t.nodes[j]
		switch p := int(n.parent); {
		case j == outer:
			n.parent = C.int32_t(to(inner))
		case j == inner:
			n.parent = up
		case j == child:
			n.parent = C.int32_t(to(outer))
		case p >= outer:
			n.parent = C.int32_t(to(p))
		}
		// What comes after a node that moves moves with it, or stands where it stood.
		if shift := to(j) - j; j != outer && j != inner && int(n.next) <= child && shift != 0 {
			n.next += C.int32_t(shift)
		}
	}
	moved := append([]node{}, t.nodes[outer:child]...)
	for k := range moved {
		t.nodes[to(outer+k)] = moved[k]
	}
}

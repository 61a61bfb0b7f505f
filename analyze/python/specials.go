package python

import (
	"strings"

	"sallyport/analyze"
)

// Under names that begin and end with underscores the interpreter and the library look for what
// an object does and is. Most of them are for what the library makes itself, and it takes what
// it finds there as it is: memory that it reads, text that it runs, a class that the object is
// not of. Which of them a program may define is here. All others are reported, those of libraries
// beyond the standard one, too.

// mayDefine are the special names that classes and objects of programs have as a matter of
// course. Where what is there may do more, it is looked at where that is done.
func mayDefine() map[string]bool {
	return setOf(strings.Fields(`
		__new__ __init__ __post_init__ __del__ __init_subclass__ __set_name__ __class_getitem__ __slots__ __match_args__
		__repr__ __str__ __bytes__ __format__ __sizeof__ __dir__ __doc__ __name__ __qualname__ __test__
		__lt__ __le__ __eq__ __ne__ __gt__ __ge__ __hash__ __bool__
		__getattr__ __setattr__ __delattr__ __get__ __set__ __delete__ __call__
		__len__ __length_hint__ __getitem__ __setitem__ __delitem__ __missing__ __iter__ __next__ __reversed__ __contains__
		__add__ __sub__ __mul__ __matmul__ __truediv__ __floordiv__ __mod__ __divmod__ __pow__ __lshift__ __rshift__ __and__ __xor__ __or__
		__radd__ __rsub__ __rmul__ __rmatmul__ __rtruediv__ __rfloordiv__ __rmod__ __rdivmod__ __rpow__ __rlshift__ __rrshift__ __rand__ __rxor__ __ror__
		__iadd__ __isub__ __imul__ __imatmul__ __itruediv__ __ifloordiv__ __imod__ __ipow__ __ilshift__ __irshift__ __iand__ __ixor__ __ior__
		__neg__ __pos__ __abs__ __invert__ __complex__ __int__ __float__ __index__ __round__ __trunc__ __floor__ __ceil__
		__enter__ __exit__ __await__ __aiter__ __anext__ __aenter__ __aexit__
		__copy__ __deepcopy__ __getstate__ __setstate__ __getnewargs__ __getnewargs_ex__ __reduce__ __reduce_ex__ __replace__
		__instancecheck__ __subclasscheck__ __subclasshook__ __prepare__ __getattribute__ __annotations__
		__array__ __array_ufunc__ __array_priority__
		__all__ __version__ __author__ __license__ __nonzero__ __unicode__ __cmp__ __div__`)...)
}

// namesSpecial looks at a name that a class, or what may become the attributes of one or of an
// object, has from the program.
func (p *python) namesSpecial(i int, name string) {
	if p.isSpecial(name) {
		p.dynamicAt(analyze.DynamicAttribute, i)
	}
}

// isSpecial tells whether a name is special, and none that programs have as a matter of course.
func (p *python) isSpecial(name string) bool {
	return len(name) > 4 && strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__") && !p.tables.mayDefine[name]
}

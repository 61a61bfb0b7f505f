/* What the hook has of the interpreter that loads it. What is not there is null. */

typedef long ssize;
typedef unsigned long usize;
typedef struct object object;

#define WEAK __attribute__((weak))
extern int PySys_AddAuditHook(int (*)(const char *, object *, void *), void *) WEAK;
extern object *PyEval_GetFrame(void) WEAK;
extern object *PyFrame_GetBack(object *) WEAK; /* 3.9 */
extern object *PyFrame_GetCode(object *) WEAK; /* 3.9 */
extern int PyFrame_GetLineNumber(object *) WEAK;
extern object *PyObject_GetAttrString(object *, const char *) WEAK;
extern object *PyObject_Type(object *) WEAK;
extern object *PyTuple_GetItem(object *, ssize) WEAK;
extern ssize PyTuple_Size(object *) WEAK;
extern object *PySequence_Tuple(object *) WEAK;
extern const char *PyUnicode_AsUTF8AndSize(object *, ssize *) WEAK;
extern int PyBytes_AsStringAndSize(object *, char **, ssize *) WEAK;
extern long PyLong_AsLong(object *) WEAK;
extern unsigned long PyType_GetFlags(object *) WEAK;
extern void PyErr_Clear(void) WEAK;
extern object *PyErr_Occurred(void) WEAK;
extern void PyErr_SetString(object *, const char *) WEAK;
extern void PyErr_SetObject(object *, object *) WEAK;
extern object *PySys_GetObject(const char *) WEAK;
extern object *PyImport_GetModuleDict(void) WEAK;
extern object *PyImport_ImportModule(const char *) WEAK;
extern object *PyModule_GetDict(object *) WEAK;
extern object *PyDict_GetItemString(object *, const char *) WEAK;
extern object *PyMapping_GetItemString(object *, const char *) WEAK;
extern object *PyObject_CallFunction(object *, const char *, ...) WEAK;
extern object *PyObject_CallMethod(object *, const char *, const char *, ...) WEAK;
extern void *PyMem_RawCalloc(usize, usize) WEAK;
extern void PyMem_RawFree(void *) WEAK;
extern void Py_DecRef(object *) WEAK;
extern void Py_IncRef(object *) WEAK;
extern const char *getenv(const char *) WEAK;
extern object *PyExc_RuntimeError WEAK, *PyExc_PermissionError WEAK;
extern object *PyUnicode_EncodeFSDefault(object *) WEAK;
extern char _Py_NoneStruct[] WEAK, PyBaseObject_Type[] WEAK, PyType_Type[] WEAK, PyMemberDescr_Type[] WEAK, PyGetSetDescr_Type[] WEAK, PyMethodDescr_Type[] WEAK, PyModule_Type[] WEAK, PyFrame_Type[] WEAK, PyFunction_Type[] WEAK, PyCFunction_Type[] WEAK, PyCode_Type[] WEAK, PyUnicode_Type[] WEAK, PyTuple_Type[] WEAK, PyBytes_Type[] WEAK, PyDict_Type[] WEAK, PyLong_Type[] WEAK, PyFrozenSet_Type[] WEAK;

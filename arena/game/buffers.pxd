# C side of buffers.py: the addresses of arrays that their owner keeps. With Cython's own memoryviews, each module that
# names one, or cimports a module that does, would get 20,000 more lines of C.
cdef extern from *:
    """
    #ifndef ARENA_BUFFERS
    #define ARENA_BUFFERS
    #include <string.h>
    static inline void *st_buffer(PyObject *array, const char *kinds, size_t size){
        Py_buffer view;
        void *address = NULL;
        if (PyObject_GetBuffer(array, &view, PyBUF_CONTIG | PyBUF_FORMAT)) return NULL;
        if (view.ndim == 1 && view.itemsize == (Py_ssize_t)size && strlen(view.format) == 1 && strchr(kinds, view.format[0]))
            address = view.buf;
        else
            PyErr_Format(PyExc_ValueError, "expected a one-dimensional array of %zu-byte numbers of kind '%.1s', not of "
                         "%zd bytes, kind '%s' and %d dimensions", size, kinds, view.itemsize, view.format, view.ndim);
        PyBuffer_Release(&view);
        return address;
    }
    #define st_words(array) ((unsigned short *)st_buffer(array, "H", sizeof(short)))
    #define st_bytes(array) ((signed char *)st_buffer(array, "b", 1))
    #define st_ints(array) ((int *)st_buffer(array, "il", sizeof(int)))
    #define st_longs(array) ((long long *)st_buffer(array, "ql", sizeof(long long)))
    #define st_floats(array) ((float *)st_buffer(array, "f", sizeof(float)))
    #define st_doubles(array) ((double *)st_buffer(array, "d", sizeof(double)))
    #endif
    """
    unsigned short *words_of "st_words"(object numbers) except NULL
    signed char *bytes_of "st_bytes"(object numbers) except NULL
    int *ints_of "st_ints"(object numbers) except NULL
    long long *longs_of "st_longs"(object numbers) except NULL
    float *floats_of "st_floats"(object numbers) except NULL
    double *doubles_of "st_doubles"(object numbers) except NULL

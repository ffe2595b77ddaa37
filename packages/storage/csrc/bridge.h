/* Declarations shared by the files of facula_storage._bridge. Limited API: one binary serves every Python from 3.11 on.

   launch.c   kernels called through a plan: `bind`, `rebind`, `unbind`, `workspace_of`
    sequence.c, description.c, replay.c   many launches as one call: `Sequence`
    checks.c, same.c, slots.c   the checks before a sequence: checks.h
    buffer.c   the buffer protocol: `Export`, `describe_array`, `array_sharer`
    dlpack.c   DLPack capsules: `dlpack_export`, `dlpack_read`, `dlpack_consume`
    threads.c  state of other threads, the cyclic collector and tracers: `threads_inside`, `collection_callback`,
               `call_filter`
    attributes.c   an instance's existing __dict__: `dict_descriptor`; method resolution order: `reorder_bases`
    layouts.c  layouts: `use_layouts`, `find_layout`
    windows.c  views of parts: `find_window`
    module.c   the module's table, and `new_instance`

   Functions with the signature of a PyCFunction are entries of the module's table, which documents them. */
#ifndef FACULA_STORAGE_BRIDGE_H
#define FACULA_STORAGE_BRIDGE_H

#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DIMENSIONS = 64 };

/* launch.c */
int prepare_launches(PyObject *module); /* adds LaunchError; -1 with an error set */
PyObject *bind(PyObject *module, PyObject *args);
PyObject *rebind(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *unbind(PyObject *module, PyObject *function);
PyObject *workspace_of(PyObject *module, PyObject *function);
PyObject *launch_count(PyObject *module, PyObject *nothing);

/* sequence.c */
int prepare_sequences(PyObject *module); /* adds Sequence */

/* same.c, checks.c */
int prepare_comparisons(PyObject *module); /* adds ABSENT and ANY */
int prepare_checks(void);
PyObject *snapshot_bytes(PyObject *module, PyObject *holder);

/* buffer.c */
int prepare_exports(PyObject *module); /* adds Export */
PyObject *describe_array(PyObject *module, PyObject *array);
PyObject *array_sharer(PyObject *module, PyObject *parts);

/* dlpack.c */
int prepare_dlpack(PyObject *module); /* adds DLPackArray */
PyObject *dlpack_export(PyObject *module, PyObject *args);
PyObject *dlpack_read(PyObject *module, PyObject *capsule);
PyObject *dlpack_consume(PyObject *module, PyObject *capsule);

/* attributes.c */
PyObject *dict_descriptor(PyObject *module, PyObject *type);
PyObject *reorder_bases(PyObject *module, PyObject *args);

/* layouts.c */
PyObject *use_layouts(PyObject *module, PyObject *args);
PyObject *find_layout(PyObject *module, PyObject *const *args, Py_ssize_t count);
/* Read shape, strides, dtype and device of a layout. Return the size of an element; -2 for other objects, -1 with an
   error set. */
int64_t read_layout(PyObject *layout, PyObject **fields);

/* windows.c */
int prepare_windows(void); /* -1 with an error set */
PyObject *find_window(PyObject *module, PyObject *const *args, Py_ssize_t count);

/* threads.c */
int prepare_threads(void); /* -1 with an error set if this Python lacks a required feature */
PyObject *collection_callback(PyObject *module, PyObject *running);
PyObject *threads_inside(PyObject *module, PyObject *names);
PyObject *call_filter(PyObject *module, PyObject *args);

#endif

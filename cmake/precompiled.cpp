// A library needs a source; the targets of this one are there for their precompiled headers
// (weir_layer.cmake).

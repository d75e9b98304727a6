// What the tables of each type need.
#include <weir/plugin.hpp>

#include <weir/impl/element.ipp>
#include <weir/impl/placement.ipp>
#include <weir/impl/queue.ipp>
#include <weir/impl/remote.ipp>
#include <weir/impl/source.ipp>

// What every plugin needs.
#include <weir/barrier.hpp>

#include <weir/impl/barrier.ipp>
#include <weir/impl/config.ipp>
#include <weir/impl/json.ipp>
#include <weir/impl/steps.ipp>
#include <weir/impl/words.ipp>

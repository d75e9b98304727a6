// Programs of 32 bits run on the same kernel and have numbers of their own.
#if defined(__x86_64__)
#include <asm/unistd_32.h>

#include "core/exec/weir_init/call_table.h"

namespace weir::init {
namespace {

#define CALL(number, rule) {number, CallRule::rule},
constexpr FilteredCall kFilteredI386[] = {
#include "core/exec/weir_init/filtered_calls.inc"
};

}  // namespace

constinit const CallTable kI386Calls[2] = {call_table::make(kFilteredI386, false),
                                           call_table::make(kFilteredI386, true)};

}  // namespace weir::init
#endif

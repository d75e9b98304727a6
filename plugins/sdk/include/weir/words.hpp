// What messages are made of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <weir/linkage.hpp>

namespace weir::sdk {

std::string in_quotes(std::string_view text);

std::string joined(const std::vector<std::string>& words, std::string_view between);

// How many letters have to be put in, taken out, changed or swapped with their neighbour to make one word of
// another.
std::size_t letters_between(std::string_view a, std::string_view b);

// The word that was most likely meant; nullptr if none is near.
const std::string* nearest(std::string_view word, const std::vector<std::string>& known);

}  // namespace weir::sdk

#ifdef WEIR_SDK_HEADER_ONLY
#include <weir/impl/words.ipp>
#endif

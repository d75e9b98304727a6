// Code of weir/placement.hpp, which includes it or is included before it.
#pragma once

#include <exception>

namespace weir::sdk::sdk_detail {

WEIR_SDK_CODE void remember(std::string& trouble, const char* what) noexcept {
  try {
    trouble = *what ? what : "an exception without words";
  } catch (...) {
    trouble.clear();
  }
}

WEIR_SDK_CODE void remember_exception(std::string& trouble) noexcept {
  try {
    throw;
  } catch (const std::exception& error) {
    remember(trouble, error.what());
  } catch (const Refused& refused) {
    remember(trouble, refused.message.c_str());
  } catch (...) {
    remember(trouble, "an exception of a type that is not known");
  }
}

}  // namespace weir::sdk::sdk_detail

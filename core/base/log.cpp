#include "core/base/log.h"

// From its headers: to load the library took 0.3 ms of CPU time in an empty program, and only this file uses
// it.
#undef SPDLOG_COMPILED_LIB
#undef SPDLOG_SHARED_LIB
#define SPDLOG_HEADER_ONLY
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <unistd.h>

#include <atomic>

#include "core/base/print.h"

namespace weir {

namespace {
std::atomic<LogLevel> threshold{LogLevel::off};
constexpr std::string_view kNames[] = {"trace", "debug", "info", "warn", "error", "off"};
}  // namespace

bool start_log(std::string_view text) {
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if (kNames[i] != text) continue;
    auto logger = std::make_shared<spdlog::logger>("weir", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    logger->set_pattern("[%H:%M:%S.%e] %l %v");
    logger->set_level(spdlog::level::trace);
    spdlog::set_default_logger(std::move(logger));
    threshold = static_cast<LogLevel>(i);
    return true;
  }
  return false;
}

bool log_enabled(LogLevel level) { return level >= threshold.load(std::memory_order_relaxed); }

void log_message(LogLevel level, std::string_view message) {
  constexpr spdlog::level::level_enum kLevels[] = {spdlog::level::trace, spdlog::level::debug,
                                                   spdlog::level::info,  spdlog::level::warn,
                                                   spdlog::level::err,   spdlog::level::off};
  const bool filtered = ::isatty(STDERR_FILENO) != 0;
  spdlog::log(kLevels[static_cast<std::size_t>(level)], "{}",
              filtered ? for_terminal(message) : std::string(message));
}

}  // namespace weir

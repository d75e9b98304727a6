#include "core/base/circuit_breaker.h"

namespace weir {

CircuitBreaker::State CircuitBreaker::state() const {
  if (state_ == State::open && clock_.now() >= retry_at()) return State::half_open;
  return state_;
}

bool CircuitBreaker::allow() {
  switch (state()) {
    case State::closed: return true;
    case State::open: return false;
    case State::half_open: break;
  }
  state_ = State::half_open;
  if (probing_) return false;
  probing_ = true;
  return true;
}

void CircuitBreaker::success() {
  // A late success of a call from before it opened says nothing about now.
  if (state_ == State::open) return;
  state_ = State::closed;
  failures_ = 0;
  probing_ = false;
}

void CircuitBreaker::failure() {
  if (state_ == State::open) return;
  if (state_ == State::half_open || ++failures_ >= limits_.failures) open();
}

void CircuitBreaker::abandon() { probing_ = false; }

void CircuitBreaker::reset() {
  state_ = State::closed;
  failures_ = 0;
  probing_ = false;
}

void CircuitBreaker::open() {
  state_ = State::open;
  opened_at_ = clock_.now();
  failures_ = 0;
  probing_ = false;
}

}  // namespace weir

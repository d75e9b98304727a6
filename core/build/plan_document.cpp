#include "core/build/plan_document.h"

namespace weir {

namespace {

// The keys of an object are sorted.
class StepWriter {
 public:
  explicit StepWriter(JsonWriter& json) : json_(json) {}

  void operator()(const RunStep& step) const {
    json_.key("directory").value(step.directory);
    if (!step.meanings.empty()) write_meanings(step.meanings);
    json_.key("run").begin_array();
    for (const auto& word : step.argv) json_.value(word);
    json_.end_array();
  }
  void operator()(const DownloadStep& step) const {
    json_.key("download").value(step.url).key("executable").value(step.executable);
    json_.key("sha256").value(step.sha256).key("to").value(step.to);
  }
  void operator()(const UnpackStep& step) const {
    json_.key("strip").value(step.strip).key("to").value(step.to).key("unpack").value(step.from);
  }
  void operator()(const CopyStep& step) const { json_.key("copy").value(step.from).key("to").value(step.to); }
  void operator()(const WriteStep& step) const {
    json_.key("content").value(step.content).key("executable").value(step.executable);
    json_.key("write").value(step.to);
  }
  void operator()(const PullStep& step) const { json_.key("pull").value(step.recipe); }
  void operator()(const PushStep& step) const { json_.key("push").value(step.recipe); }

 private:
  void write_meanings(const std::vector<ExitMeaning>& meanings) const {
    json_.key("meanings").begin_array();
    for (const auto& meaning : meanings)
      json_.begin_array().value(meaning.exit).value(to_string(meaning.failure)).end_array();
    json_.end_array();
  }

  JsonWriter& json_;
};

}  // namespace

void write_steps(JsonWriter& json, const std::vector<Step>& steps) {
  json.begin_array();
  for (const auto& step : steps) {
    json.begin_object();
    std::visit(StepWriter(json), step);
    json.end_object();
  }
  json.end_array();
}

}  // namespace weir

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "runtime/eventlog/jetstream/jetstream_log.hpp"
#include "runtime/eventlog/jetstream/stream_client.hpp"

namespace argosy::eventlog {

namespace {

class jetstream_keeper final : public generation_keeper {
 public:
  explicit jetstream_keeper(std::unique_ptr<stream_client> streams)
      : streams_(std::move(streams)) {}
  ~jetstream_keeper() override { streams_->close(); }

  result<std::vector<generation_facts>> look() override { return streams_->look_at_all(); }

  result<void> empty(model::log_generation generation) override {
    if (auto done = streams_->give_up(generation); !done) return done;
    const auto all = streams_->look_at_all();
    if (!all) return fail(all.error());
    const auto newest = std::ranges::find_if(all->rbegin(), all->rend(),
                                             [](const auto& each) { return each.records > 0; });
    if (newest == all->rend() || newest->generation <= generation) return {};
    // The room goes to the generation that is written.
    streams_->choose(newest->generation);
    return streams_->apply_limits();
  }

  void close() override { streams_->close(); }

 private:
  std::unique_ptr<stream_client> streams_;
};

}  // namespace

result<std::unique_ptr<generation_keeper>> open_keeper(const jetstream_settings& settings) {
  auto streams = stream_client::open(settings);
  if (!streams) return fail(std::move(streams.error()));
  return std::unique_ptr<generation_keeper>{
      std::make_unique<jetstream_keeper>(std::move(*streams))};
}

}  // namespace argosy::eventlog

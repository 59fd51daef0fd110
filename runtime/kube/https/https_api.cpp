// SPDX-License-Identifier: Apache-2.0
#include "runtime/kube/https/https_api.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "runtime/kube/credentials/server_url.hpp"
#include "runtime/kube/https/ask_calls.hpp"
#include "runtime/kube/https/curl_loop.hpp"
#include "runtime/kube/https/follow_calls.hpp"
#include "runtime/kube/https/read_calls.hpp"
#include "runtime/kube/https/sender.hpp"

namespace argosy::kube {

namespace {

https_peer peer_of(const cluster_access& access, server_url url, const https_options& options) {
  return {.url = std::move(url),
          .tls_name = access.tls_name,
          .proxy = access.proxy,
          .verified = access.verified,
          .agent = options.agent,
          .connect_within = options.connect_within};
}

/// What works on the thread of the loop.
struct engine {
  engine(const cluster_access& access, server_url url, const https_options& with,
         const clock_source& clock, std::uint64_t seed, access_origin origin)
      : options(with),
        random(seed),
        loop(clock),
        sends(loop, peer_of(access, std::move(url), with),
              credentials{access, with.credentials, std::move(origin)},
              token_bucket{{std::max(with.burst, 1.0), with.qps}}, with.at_a_time_max),
        asks(loop, sends, random, options),
        follows(loop, sends, random, options),
        reads(loop, sends, options) {
    sends.on_move([this] {
      follows.begin_anew({ec::unreachable, "the server is " + sends.server() + " now"});
    });
  }

  https_options options;
  seeded_random random;
  curl_loop loop;
  sender sends;
  ask_calls asks;
  follow_calls follows;
  read_calls reads;
  std::atomic<std::uint64_t> last_call = 0;
};

class https_watch final : public watch {
 public:
  https_watch(std::shared_ptr<engine> of, std::uint64_t number, std::shared_ptr<follower_gate> to)
      : engine_(std::move(of)), number_(number), to_(std::move(to)) {}
  ~https_watch() override {
    to_->close(engine_->loop.on_thread());
    engine_->loop.post([at = engine_.get(), number = number_] { at->follows.end(number); });
  }

 private:
  std::shared_ptr<engine> engine_;
  std::uint64_t number_;
  std::shared_ptr<follower_gate> to_;
};

class https_reading final : public watch {
 public:
  https_reading(std::shared_ptr<engine> of, std::uint64_t number, std::shared_ptr<reader_gate> to)
      : engine_(std::move(of)), number_(number), to_(std::move(to)) {}
  ~https_reading() override {
    to_->close(engine_->loop.on_thread());
    engine_->loop.post([at = engine_.get(), number = number_] { at->reads.end(number); });
  }

 private:
  std::shared_ptr<engine> engine_;
  std::uint64_t number_;
  std::shared_ptr<reader_gate> to_;
};

class https_api final : public api {
 public:
  explicit https_api(std::shared_ptr<engine> does) : engine_(std::move(does)) {
    engine_->loop.start();
  }
  ~https_api() override {
    engine_->loop.stop([at = engine_.get()] { at->asks.cancel_all(); });
  }

  void ask(request what, answer_handler done) override {
    engine_->loop.post(
        [at = engine_.get(), what = std::move(what), done = std::move(done)]() mutable {
          at->asks.begin(std::move(what), std::move(done));
        });
  }

  std::unique_ptr<watch> follow(std::string collection, follower& to) override {
    const auto number = ++engine_->last_call;
    auto gate = std::make_shared<follower_gate>(to);
    engine_->loop.post([at = engine_.get(), number, collection = std::move(collection), gate] {
      at->follows.begin(number, collection, gate);
    });
    return std::make_unique<https_watch>(engine_, number, std::move(gate));
  }

  std::unique_ptr<watch> read(request what, body_reader& to) override {
    const auto number = ++engine_->last_call;
    auto gate = std::make_shared<reader_gate>(to);
    engine_->loop.post([at = engine_.get(), number, what = std::move(what), gate]() mutable {
      at->reads.begin(number, std::move(what), gate);
    });
    return std::make_unique<https_reading>(engine_, number, std::move(gate));
  }

  std::string server() const override { return engine_->sends.server(); }

 private:
  std::shared_ptr<engine> engine_;
};

result<void> validate(const https_options& options) {
  const auto wrong = [](const char* what) -> result<void> {
    return fail(ec::invalid_argument, std::string{what} + " of a client has to be positive");
  };
  if (!(options.qps > 0)) return wrong("qps");
  if (!(options.burst > 0)) return wrong("burst");
  if (options.at_a_time_max == 0) return wrong("at_a_time_max");
  if (options.connect_within.count() <= 0) return wrong("connect_within");
  if (options.try_within.count() <= 0) return wrong("try_within");
  if (options.ask_within.count() <= 0) return wrong("ask_within");
  if (options.watch_silence_max.count() <= 0) return wrong("watch_silence_max");
  if (options.follows.page_objects == 0) return wrong("page_objects");
  return {};
}

}  // namespace

result<std::unique_ptr<api>> make_https_api(const cluster_access& access,
                                            const https_options& options, const clock_source& clock,
                                            std::uint64_t seed, access_origin origin) {
  if (auto good = validate(options); !good) return fail(std::move(good.error()));
  auto url = read_server_url(access.server);
  if (!url) return fail(std::move(url.error()));
  return std::make_unique<https_api>(
      std::make_shared<engine>(access, *url, options, clock, seed, std::move(origin)));
}

}  // namespace argosy::kube

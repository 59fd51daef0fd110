// SPDX-License-Identifier: Apache-2.0
#include "runtime/rest/line_streams.hpp"

#include <utility>

#include "runtime/bus/caller_headers.hpp"
#include "runtime/rest/answers.hpp"

namespace argosy::rest {

namespace {

using std::chrono::milliseconds;
using clock = std::chrono::steady_clock;

/// How long a stream may take until its status is told as good without an item.
constexpr milliseconds status_within{200};
/// How often a stream without items looks whether its caller is there.
constexpr milliseconds look_every{500};

bool write(const plan& planned, const line_stream::next_one& now, httplib::DataSink& sink) {
  std::string line;
  if (now.item) {
    auto text = planned.write(*now.item);
    if (text) {
      line = "{\"result\":" + *text + "}\n";
      return sink.write(line.data(), line.size());
    }
    line = late_error(to_reply(text.error())) + "\n";
  } else if (!now.end) {
    return sink.is_writable();
  } else if (!*now.end) {
    line = late_error(to_reply(*planned.method, now.end->error())) + "\n";
  }
  if (!line.empty() && !sink.write(line.data(), line.size())) return false;
  sink.done();
  return true;
}

}  // namespace

/// Keeps the place as long as the stream, and ends the stream when the server stops.
std::shared_ptr<line_stream> line_streams::make(border::shares::place place) {
  const std::scoped_lock lock{guard_};
  if (stopped_) return nullptr;
  auto made = std::make_unique<line_stream>();
  streams_.insert(made.get());
  return {made.release(), [self = shared_from_this(), place = std::move(place)](line_stream* item) {
            {
              const std::scoped_lock held{self->guard_};
              self->streams_.erase(item);
            }
            delete item;
          }};
}

void line_streams::serve(const asked_call& of, std::optional<milliseconds> limit,
                         httplib::Response& to) {
  const auto peer = bus::get_text(of.with, bus::header::peer).value_or("");
  auto taken = places_->take(bus::caller_key(of.who, peer));
  if (!taken.held)
    return answer(to, to_reply({ec::overloaded,
                                stream_refusal(taken.answer, "streams over REST", streams_max_)}));
  const auto from = make(std::move(taken.held));
  if (!from) return answer(to, to_reply({ec::unavailable, "the server stops"}));
  const auto& planned = of.planned;
  from->open(*api_, planned.method->subject, of.bytes, of.with);
  const auto until = limit ? std::optional{clock::now() + *limit} : std::nullopt;
  from->wait(status_within);
  auto first = from->take();
  if (first.end && !*first.end) return answer(to, to_reply(*planned.method, first.end->error()));
  to.set_chunked_content_provider(json_type, [from, until, planned, first = std::move(first)](
                                                 std::size_t, httplib::DataSink& sink) mutable {
    auto now = std::exchange(first, {});
    if (!now.item && !now.end) {
      from->wait(look_every);
      now = from->take();
    }
    if (!now.item && !now.end && until && clock::now() >= *until)
      now.end = fail(ec::timeout, "the time that the caller set is over");
    return write(planned, now, sink);
  });
}

void line_streams::stop() {
  const std::scoped_lock lock{guard_};
  stopped_ = true;
  for (auto* stream : streams_) stream->end(fail(ec::unavailable, "the server stops"));
}

}  // namespace argosy::rest

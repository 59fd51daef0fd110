// SPDX-License-Identifier: Apache-2.0
#include "runtime/rest/calls.hpp"

#include <zlib.h>

#include <algorithm>
#include <future>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/base/whole_number.hpp"
#include "runtime/bus/api_headers.hpp"
#include "runtime/health/kept_connection.hpp"
#include "runtime/rest/answers.hpp"
#include "runtime/rest/metadata.hpp"

namespace argosy::rest {

namespace {

using std::chrono::milliseconds;

/// The text as a file of gzip, for speed rather than size: most readers are near. Empty if that
/// cannot be made.
std::string gzip(std::string_view text) {
  // The second number asks for the largest window and for the head of a file of gzip.
  constexpr int window = 15 + 16;
  constexpr int memory = 8;
  z_stream stream{};
  if (::deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, window, memory, Z_DEFAULT_STRATEGY) != Z_OK)
    return {};
  std::string out(::deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const bool whole = ::deflate(&stream, Z_FINISH) == Z_STREAM_END;
  out.resize(whole ? stream.total_out : 0);
  ::deflateEnd(&stream);
  return out;
}

/// How often it is looked whether anybody still waits for an answer.
constexpr milliseconds look_for_caller_every{200};
/// A smaller answer is not worth the work.
constexpr std::size_t packed_from = 1'024;

/// Whether this call may get what another caller was given.
bool may_share(const asked_call& of, const httplib::Request& from) {
  return of.planned.shares != sharing::none && !from.has_header("Grpc-Timeout") &&
         std::none_of(bus::callers_choice.begin(), bus::callers_choice.end(),
                      [&](auto name) { return of.with.get(name).has_value(); });
}

/// Names whoever gets the same answer to the same question.
std::string key_of(const asked_call& of) {
  std::string out = of.planned.method->subject + '\n';
  for (const auto& [name, value] : of.who)
    if (of.planned.shares == sharing::same_caller ||
        (name != bus::header::user && name != bus::header::scheme))
      out += name + '=' + std::to_string(value.size()) + ':' + value + '\n';
  return out + '\n' + of.bytes;
}

/// The position that the caller says; one that cannot be read asks for an answer of his own.
std::uint64_t at_least(const httplib::Request& from) {
  return whole_number<std::uint64_t>(from.get_header_value(position_header))
      .value_or(std::numeric_limits<std::uint64_t>::max());
}

bool takes_gzip(const httplib::Request& from) {
  return from.get_header_value("Accept-Encoding").find("gzip") != std::string::npos;
}

/// Nothing of the answer is held but the bytes that are written, and no copy of these.
void write(const written_answer& what, const httplib::Request& from, httplib::Response& to) {
  write_metadata(what.beside, to);
  const bool packed = what.packed != nullptr && takes_gzip(from);
  if (packed) to.set_header("Content-Encoding", "gzip");
  const auto& bytes = packed ? what.packed : what.text;
  if (bytes->size() < packed_from) return to.set_content(*bytes, json_type);
  to.set_content_provider(bytes->size(), json_type,
                          [bytes](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
                            return sink.write(bytes->data() + offset, length);
                          });
}

}  // namespace

calls::calls(std::shared_ptr<bus::connection> api, milliseconds answer_within,
             std::function<std::optional<std::uint64_t>()> position)
    : api_(std::move(api)), answer_within_(answer_within), position_(std::move(position)) {}

void calls::serve(const asked_call& of, const httplib::Request& from, httplib::Response& to) {
  const auto limit = read_timeout(from.get_header_value("Grpc-Timeout"));
  const auto within = std::clamp(limit.value_or(answer_within_), milliseconds{1}, answer_within_);
  auto position = position_ ? position_() : std::nullopt;
  const bool packs = takes_gzip(from);
  auto got = [&]() -> shared_answers::outcome {
    if (!position || !may_share(of, from)) return ask(of, within, packs);
    auto one = shared_.get(key_of(of), {*position, at_least(from)},
                           [&] { return ask(of, within, packs); });
    position = one.position;
    return std::move(one.answer);
  }();
  if (!got) return answer(to, to_reply(*of.planned.method, got.error()));
  // An answer that shows the state of actors tells no position, since they may be behind the log.
  // A change is in the log when its answer comes.
  if (of.planned.shares == sharing::none)
    position = from.method == "GET" || !position_ ? std::nullopt : position_();
  if (position) to.set_header(position_header, std::to_string(*position));
  write(**got, from, to);
}

shared_answers::outcome calls::ask(const asked_call& of, milliseconds within, bool pack) {
  std::promise<result<bus::frame>> told;
  auto coming = told.get_future();
  const auto number =
      api_->request(of.planned.method->subject, of.bytes, of.with, within,
                    [&told](result<bus::frame> answer) { told.set_value(std::move(answer)); });
  while (coming.wait_for(look_for_caller_every) != std::future_status::ready)
    if (stopped_ || !health::client_is_there()) api_->give_up(number);
  const auto got = coming.get();
  if (!got) return fail(got.error());
  auto text = writing_.run(got->data.size(), [&] { return of.planned.write(got->data); });
  if (!text) return fail(text.error());
  auto out = std::make_shared<written_answer>();
  if (pack && text->size() >= packed_from)
    if (auto packed = gzip(*text); !packed.empty())
      out->packed = std::make_shared<const std::string>(std::move(packed));
  out->text = std::make_shared<const std::string>(std::move(*text));
  out->beside = got->headers;
  return out;
}

}  // namespace argosy::rest

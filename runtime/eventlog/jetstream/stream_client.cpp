// SPDX-License-Identifier: Apache-2.0
#include "runtime/eventlog/jetstream/stream_client.hpp"

#include <algorithm>
#include <charconv>
#include <memory>
#include <string_view>
#include <utility>

namespace argosy::eventlog {

namespace {

using msg_ptr = std::unique_ptr<natsMsg, decltype(&natsMsg_Destroy)>;

constexpr auto msg_id_header = "Nats-Msg-Id";
constexpr auto expected_header = "Nats-Expected-Last-Sequence";
constexpr std::int64_t second_ns = 1'000'000'000;
/// The part of a message that the headers of a record may take, in bytes.
constexpr std::size_t headers_max = 4u << 10;

/// The age at which the records of a generation that was given up go.
constexpr std::int64_t age_max_ns = 1'000'000'000;

using list_ptr = std::unique_ptr<jsStreamInfoList, decltype(&jsStreamInfoList_Destroy)>;

}  // namespace

record to_record(natsMsg* message) {
  record out;
  const char* id = nullptr;
  if (natsMsgHeader_Get(message, msg_id_header, &id) == NATS_OK && id != nullptr) out.msg_id = id;
  out.data.assign(natsMsg_GetData(message),
                  static_cast<std::size_t>(natsMsg_GetDataLength(message)));
  return out;
}

result<std::unique_ptr<stream_client>> stream_client::open(const jetstream_settings& settings) {
  std::unique_ptr<stream_client> made{new stream_client{settings}};
  auto session = bus::nats_session::open(settings.nats);
  if (!session) return fail(std::move(session.error()));
  made->session_ = std::move(*session);
  made->session_->set_events({.on_status = {}, .on_renewed = [&client = *made] {
                                // It fails only for want of memory, and the next calls fail then.
                                static_cast<void>(client.use_connection());
                              }});
  if (auto ready = made->use_connection(); !ready) return fail(std::move(ready.error()));
  // Whether JetStream is there at all shows by asking; there may be no stream yet.
  if (const auto found = made->look(); !found && found.error().code != ec::not_found)
    return fail(found.error());
  return made;
}

/// Other threads may be inside of calls with the context before, which lives as long as the client.
result<void> stream_client::use_connection() {
  jsOptions options;
  jsOptions_Init(&options);
  options.Wait = settings_.call_limit.count();
  jsCtx* fresh = nullptr;
  if (const auto status = natsConnection_JetStream(&fresh, session_->get(), &options);
      status != NATS_OK)
    return fail(session_->explain(status, "cannot use JetStream"));
  if (auto* const before = js_.exchange(fresh)) replaced_.push_back(before);
  return {};
}

std::string stream_client::numbered(const std::string& prefix, model::log_generation generation) {
  auto number = to_string(generation);
  number.insert(0, number.size() < 4 ? 4 - number.size() : 0, '0');
  return prefix + number;
}

void stream_client::choose(model::log_generation generation) {
  chosen_ = generation;
  stream_ = numbered(settings_.stream_prefix, generation);
  subject_ = numbered(settings_.subject_prefix, generation);
}

/// Returns nothing for a stream that is none of the log.
std::optional<model::log_generation> stream_client::generation_of(std::string_view stream) const {
  if (!stream.starts_with(settings_.stream_prefix)) return std::nullopt;
  const auto number = stream.substr(settings_.stream_prefix.size());
  model::log_generation generation{};
  const auto* const end = number.data() + number.size();
  const auto [at, failed] = std::from_chars(number.data(), end, generation.value);
  if (failed != std::errc{} || at != end || generation.is_zero()) return std::nullopt;
  return generation;
}

result<std::vector<model::log_generation>> stream_client::generations() {
  jsStreamNamesList* raw = nullptr;
  jsErrCode code{};
  const auto status = js_StreamNames(&raw, js_, nullptr, &code);
  const std::unique_ptr<jsStreamNamesList, decltype(&jsStreamNamesList_Destroy)> names{
      raw, &jsStreamNamesList_Destroy};
  std::vector<model::log_generation> out;
  // The library says so when there is no stream at all.
  if (status == NATS_NOT_FOUND) return out;
  if (status != NATS_OK) return fail(explain(failure_of(status, code), "look for the streams of"));
  for (int i = 0; i < names->Count; ++i)
    if (const auto generation = generation_of(names->List[i])) out.push_back(*generation);
  std::ranges::sort(out);
  return out;
}

stream_client::~stream_client() {
  close();
  for (auto* const before : replaced_) jsCtx_Destroy(before);
  jsCtx_Destroy(js_);
}

void stream_client::close() {
  closed_ = true;
  if (session_) session_->close();
}

bool stream_client::connected() const {
  return session_->status() == bus::link_status::connected;
}

std::string stream_client::place() const {
  return "the log '" + stream_ + "' at " + session_->server();
}

std::size_t stream_client::max_record_bytes() const {
  const auto payload = static_cast<std::size_t>(natsConnection_GetMaxPayload(session_->get()));
  const auto most = std::min<std::size_t>(payload, settings_.max_message_bytes);
  return most - std::min(most, headers_max);
}

js_failure stream_client::failure_of(natsStatus status, jsErrCode code) const {
  natsStatus last = NATS_OK;
  const char* const text = nats_GetLastError(&last);
  const bool has_text = text != nullptr && *text != '\0' && last == status;
  return {status, code, has_text ? text : natsStatus_GetText(status)};
}

error stream_client::explain(const js_failure& failed, const std::string& what) const {
  const auto sentence = "cannot " + what + " " + place() + ": " + failed.text;
  if (closed_) return {ec::cancelled, "cannot " + what + " " + place() + ": it was closed"};
  if (auto known = failed.known_error(sentence, bytes_max_)) return std::move(*known);
  if (failed.status == NATS_NO_RESPONDERS)
    return {ec::unavailable,
            "cannot " + what + " " + place() + ": JetStream does not answer; is it enabled?"};
  if (failed.ambiguous() && !connected())
    return {ec::unreachable, "cannot " + what + " " + place() + ": the server cannot be reached"};
  auto err = bus::explain_status(failed.status, "", "");
  return {err.code == ec::cancelled ? ec::unreachable : err.code, sentence};
}

js_failure stream_client::create(std::uint64_t bytes_max) {
  const char* subjects[] = {subject_.c_str()};
  jsStreamConfig config;
  jsStreamConfig_Init(&config);
  config.Name = stream_.c_str();
  config.Subjects = subjects;
  config.SubjectsLen = 1;
  config.Retention = js_LimitsPolicy;
  config.Storage = js_FileStorage;
  config.Discard = js_DiscardNew;
  config.MaxBytes = static_cast<std::int64_t>(bytes_max);
  config.MaxMsgSize = static_cast<std::int32_t>(settings_.max_message_bytes);
  config.Replicas = static_cast<std::int64_t>(settings_.replicas);
  config.Duplicates = 120 * second_ns;
  config.DenyDelete = true;
  config.DenyPurge = true;
  jsErrCode code{};
  const auto status = js_AddStream(nullptr, js_, &config, nullptr, &code);
  return failure_of(status, code);
}

server_room stream_client::room_of_server() {
  server_room out;
  jsAccountInfo* raw = nullptr;
  if (js_GetAccountInfo(&raw, js_, nullptr, nullptr) != NATS_OK) return out;
  out.used = raw->Store;
  if (raw->Limits.MaxStore > 0) out.allowed = static_cast<std::uint64_t>(raw->Limits.MaxStore);
  jsAccountInfo_Destroy(raw);
  return out;
}

result<info_ptr> stream_client::look() {
  jsStreamInfo* raw = nullptr;
  jsErrCode code{};
  const auto status = js_GetStreamInfo(&raw, js_, stream_.c_str(), nullptr, &code);
  info_ptr found{raw, &jsStreamInfo_Destroy};
  if (status != NATS_OK) return fail(explain(failure_of(status, code), "look at"));
  bytes_max_ = limits_of(*found->Config).bytes_max;
  return found;
}

result<void> stream_client::ensure_stream() {
  const auto looked = look();
  if (!looked && looked.error().code != ec::not_found) return fail(looked.error());
  if (!looked) {
    const auto others = take_room();
    if (!others) return fail(others.error());
    if (*others > 0 && *others + room_min >= settings_.max_bytes)
      return fail(ec::out_of_space,
                  "cannot create " + place() + ": the generations before it take all of " +
                      std::to_string(settings_.max_bytes) + " bytes; raise journal.logBytesMax");
    const auto room = limit_of_written(settings_.max_bytes, *others, 0, 0);
    const auto failed = create(room);
    bytes_max_ = room;
    if (failed.status == NATS_OK) return {};
    auto why = explain(failed, "create");
    if (why.code == ec::out_of_space)
      why.detail = "cannot create " + place() + ": " + failed.text + "; " +
                   advice_without_room(room, room_of_server());
    return fail(std::move(why));
  }
  // One that was made and never written may have given its room back.
  if ((*looked)->State.Msgs == 0) return apply_limits();
  return check_settings(*(*looked)->Config);
}

result<void> stream_client::check_settings(const jsStreamConfig& config) const {
  const bool ours = config.SubjectsLen == 1 && config.Subjects[0] == subject_ &&
                    config.Retention == js_LimitsPolicy && config.Storage == js_FileStorage &&
                    config.Discard == js_DiscardNew && config.MaxAge == 0 && config.MaxMsgs <= 0 &&
                    config.MaxMsgsPerSubject <= 0;
  if (ours && config.Replicas != static_cast<std::int64_t>(settings_.replicas))
    return fail(ec::conflict, place() + " has " + std::to_string(config.Replicas) +
                                  " copies where journal.replicas says " +
                                  std::to_string(settings_.replicas) +
                                  "; change the setting, or the stream with the nats program");
  if (ours) return {};
  return fail(ec::conflict, place() +
                                " exists with other settings, under which records could be "
                                "lost; remove that stream or use another server");
}

result<log_info> stream_client::info() {
  const auto looked = look();
  if (!looked) return fail(looked.error());
  const auto& found = *looked;
  log_info out;
  out.created_ns = found->Created;
  out.last_position = {found->State.LastSeq};
  out.first_position =
      found->State.Msgs == 0 ? out.last_position + 1 : model::log_position{found->State.FirstSeq};
  out.bytes = found->State.Bytes;
  out.bytes_max = limits_of(*found->Config).bytes_max;
  if (out.bytes_max != 0 && settings_.max_bytes > out.bytes_max)
    out.older_bytes = settings_.max_bytes - out.bytes_max;
  return out;
}

result<record> stream_client::get(model::log_position position) {
  if (position.is_zero()) return fail(ec::not_found, place() + " has no record 0");
  natsMsg* raw = nullptr;
  jsErrCode code{};
  const auto status = js_GetMsg(&raw, js_, stream_.c_str(), position.value, nullptr, &code);
  const msg_ptr message{raw, &natsMsg_Destroy};
  if (status == NATS_NOT_FOUND && code != JSStreamNotFoundErr)
    return fail(ec::not_found, place() + " has no record " + to_string(position));
  if (status != NATS_OK)
    return fail(explain(failure_of(status, code), "read record " + to_string(position) + " of"));
  auto out = to_record(raw);
  out.position = {natsMsg_GetSequence(raw)};
  out.time_ns = natsMsg_GetTime(raw);
  return out;
}

tl::expected<published, js_failure> stream_client::publish(
    model::log_position expected_last_position, const std::string& msg_id, std::string_view data,
    const bus::headers& with) {
  natsMsg* raw = nullptr;
  auto status =
      natsMsg_Create(&raw, subject_.c_str(), nullptr, data.data(), static_cast<int>(data.size()));
  const msg_ptr message{raw, &natsMsg_Destroy};
  for (const auto& [name, value] : with)
    if (status == NATS_OK) status = natsMsgHeader_Set(raw, name.c_str(), value.c_str());
  if (status == NATS_OK) status = natsMsgHeader_Set(raw, msg_id_header, msg_id.c_str());
  // The header is written by hand, since in the library's options 0 means that nothing is expected.
  const auto expected = to_string(expected_last_position);
  if (status == NATS_OK) status = natsMsgHeader_Set(raw, expected_header, expected.c_str());
  jsPubOptions options;
  jsPubOptions_Init(&options);
  options.MaxWait = settings_.call_limit.count();
  jsPubAck* ack = nullptr;
  jsErrCode code{};
  if (status == NATS_OK) status = js_PublishMsg(&ack, js_, raw, &options, &code);
  if (status != NATS_OK) return tl::unexpected{failure_of(status, code)};
  const published out{{ack->Sequence}, ack->Duplicate};
  jsPubAck_Destroy(ack);
  return out;
}

result<natsSubscription*> stream_client::subscribe(model::log_position from_position) {
  jsSubOptions options;
  jsSubOptions_Init(&options);
  options.Stream = stream_.c_str();
  options.Config.DeliverPolicy = js_DeliverByStartSequence;
  options.Config.OptStartSeq = from_position.value;
  options.Config.AckPolicy = js_AckNone;
  options.Config.InactiveThreshold = 60 * second_ns;
  options.Config.MemoryStorage = true;
  natsSubscription* out = nullptr;
  jsErrCode code{};
  const auto status =
      js_PullSubscribe(&out, js_, subject_.c_str(), nullptr, nullptr, &options, &code);
  if (status != NATS_OK) return fail(explain(failure_of(status, code), "follow"));
  return out;
}

stream_limits limits_of(const jsStreamConfig& config) {
  const auto bytes = [](std::int64_t limit) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, limit));
  };
  return {bytes(config.MaxBytes), bytes(config.MaxMsgSize)};
}

namespace {

/// Servers that follow say something each second, so that one which was silent for longer may have
/// died just now.
constexpr std::int64_t silent_ns = 1'500'000'000;

bool others_follow(const jsStreamInfo& info) {
  if (info.Cluster == nullptr || info.Cluster->ReplicasLen == 0) return false;
  const auto follows = [](const jsPeerInfo* peer) {
    return peer->Current && !peer->Offline && peer->Active < silent_ns;
  };
  return std::all_of(info.Cluster->Replicas, info.Cluster->Replicas + info.Cluster->ReplicasLen,
                     follows);
}

std::string leader_of(const jsStreamInfo& info) {
  const bool known = info.Cluster != nullptr && info.Cluster->Leader != nullptr;
  return known ? info.Cluster->Leader : std::string{};
}

}  // namespace

result<void> stream_client::choose_leader(model::log_generation generation) {
  const auto name = numbered(settings_.stream_prefix, generation);
  const auto subject = "$JS.API.STREAM.LEADER.STEPDOWN." + name;
  natsMsg* raw = nullptr;
  const auto status = natsConnection_RequestString(&raw, session_->get(), subject.c_str(), "",
                                                   settings_.call_limit.count());
  const msg_ptr answer{raw, &natsMsg_Destroy};
  if (status != NATS_OK)
    return fail(session_->explain(status, "cannot have another server lead " + name));
  const std::string_view text{natsMsg_GetData(raw),
                              static_cast<std::size_t>(natsMsg_GetDataLength(raw))};
  if (text.find("\"error\"") == std::string_view::npos) return {};
  return fail(ec::unavailable,
              "cannot have another server lead " + name + ": " + std::string{text});
}

result<std::vector<generation_facts>> stream_client::look_at_all() {
  jsStreamInfoList* raw = nullptr;
  jsErrCode code{};
  const auto status = js_Streams(&raw, js_, nullptr, &code);
  const list_ptr all{raw, &jsStreamInfoList_Destroy};
  std::vector<generation_facts> out;
  if (status == NATS_NOT_FOUND) return out;
  if (status != NATS_OK) return fail(explain(failure_of(status, code), "look at the streams of"));
  for (int i = 0; i < all->Count; ++i) {
    const auto& each = *all->List[i];
    if (const auto generation = generation_of(each.Config->Name))
      out.push_back({*generation, each.Created, each.State.Msgs, each.State.Bytes,
                     limits_of(*each.Config).bytes_max, each.Config->MaxAge > 0, leader_of(each),
                     others_follow(each)});
  }
  std::ranges::sort(out, {}, &generation_facts::generation);
  return out;
}

std::uint64_t stream_client::shrink(jsStreamConfig config, std::uint64_t bytes) {
  const auto was = limits_of(config).bytes_max;
  if (was != 0 && was <= bytes) return was;
  config.MaxBytes = static_cast<std::int64_t>(bytes);
  jsErrCode code{};
  return js_UpdateStream(nullptr, js_, &config, nullptr, &code) == NATS_OK ? bytes : was;
}

/// Servers reserve the limit of each stream, so that only the chosen one may have more than it
/// needs. A newer one that has records belongs to whoever leads and stays as it is.
result<std::uint64_t> stream_client::take_room() {
  jsStreamInfoList* raw = nullptr;
  jsErrCode code{};
  const auto status = js_Streams(&raw, js_, nullptr, &code);
  const list_ptr all{raw, &jsStreamInfoList_Destroy};
  if (status != NATS_OK && status != NATS_NOT_FOUND)
    return fail(explain(failure_of(status, code), "look at the streams of"));
  std::uint64_t out = 0;
  for (int i = 0; all != nullptr && i < all->Count; ++i) {
    const auto& each = *all->List[i];
    const auto generation = generation_of(each.Config->Name);
    if (!generation || *generation == chosen_) continue;
    const bool unused = *generation < chosen_ || each.State.Msgs == 0;
    out += unused ? shrink(*each.Config, each.State.Bytes + room_min) : each.State.Bytes;
  }
  return out;
}

result<void> stream_client::apply_limits() {
  const auto found = look();
  if (!found) return fail(found.error());
  auto config = *(*found)->Config;
  if (auto ok = check_settings(config); !ok) return ok;
  const auto now = limits_of(config);
  const auto held = (*found)->State.Bytes;
  const auto others = take_room();
  if (!others) return fail(others.error());
  const stream_limits asked{settings_.max_bytes, settings_.max_message_bytes};
  if (const auto possible = limits_to_set(now, held, asked); !possible)
    return fail(possible.error());
  const stream_limits wanted{limit_of_written(asked.bytes_max, *others, now.bytes_max, held),
                             asked.message_bytes_max};
  if (now == wanted) return {};
  config.MaxBytes = static_cast<std::int64_t>(wanted.bytes_max);
  config.MaxMsgSize = static_cast<std::int32_t>(wanted.message_bytes_max);
  jsErrCode code{};
  const auto status = js_UpdateStream(nullptr, js_, &config, nullptr, &code);
  if (status == NATS_OK) {
    bytes_max_ = wanted.bytes_max;
    return {};
  }
  const auto failed = failure_of(status, code);
  auto why = explain(failed, "change the limits of");
  if (why.code == ec::out_of_space)
    why.detail = "cannot change the limits of " + place() + ": " + failed.text + "; " +
                 advice_without_room(wanted.bytes_max, room_of_server());
  return fail(std::move(why));
}

result<void> stream_client::give_up(model::log_generation generation) {
  const auto name = numbered(settings_.stream_prefix, generation);
  jsStreamInfo* raw = nullptr;
  jsErrCode code{};
  auto status = js_GetStreamInfo(&raw, js_, name.c_str(), nullptr, &code);
  const info_ptr found{raw, &jsStreamInfo_Destroy};
  if (status != NATS_OK) return fail(explain(failure_of(status, code), "look at " + name + " of"));
  auto config = *found->Config;
  config.MaxBytes = static_cast<std::int64_t>(room_min);
  config.MaxAge = age_max_ns;
  // The server wants this to be no longer than the age.
  config.Duplicates = age_max_ns;
  status = js_UpdateStream(nullptr, js_, &config, nullptr, &code);
  if (status != NATS_OK) return fail(explain(failure_of(status, code), "empty " + name + " of"));
  return {};
}

}  // namespace argosy::eventlog

// SPDX-License-Identifier: Apache-2.0
// Targets: the small texts that people and other programs write.
#include <array>

#include "bins/argosyctl/client/job_reference.hpp"
#include "messages/codec/api/event_id.hpp"
#include "messages/codec/api/resume_token.hpp"
#include "messages/codec/api/search_text.hpp"
#include "runtime/access/identity.hpp"
#include "runtime/access/question.hpp"
#include "runtime/access/role.hpp"
#include "runtime/access/tokens/base64url.hpp"
#include "runtime/backends/container/image_name.hpp"
#include "runtime/backends/kubernetes/output/log_lines.hpp"
#include "runtime/backends/kubernetes/pod_view.hpp"
#include "runtime/backends/simulated/sim_plan.hpp"
#include "runtime/base/duration.hpp"
#include "runtime/base/pattern.hpp"
#include "runtime/base/ulid.hpp"
#include "runtime/border/address_block.hpp"
#include "runtime/border/host_and_port.hpp"
#include "runtime/bus/frame.hpp"
#include "runtime/kube/credentials/base64.hpp"
#include "runtime/kube/credentials/server_url.hpp"
#include "runtime/kube/rfc3339.hpp"
#include "runtime/model/label_syntax.hpp"
#include "runtime/model/quantity.hpp"
#include "runtime/rpc/session/grpc_text.hpp"
#include "runtime/settings/checks/address.hpp"
#include "tests/fuzz/target.hpp"

namespace argosy::fuzz {
namespace {

bool take_quantity(std::string_view input) {
  const auto [which, text] = choose(input, 3);
  const auto unit = static_cast<model::resource_unit>(which);
  const auto amount = model::parse_quantity(text, unit);
  if (!amount) return refused(amount.error());
  require(*amount >= 0, "a quantity is negative");
  const auto again = model::parse_quantity(model::format_quantity(*amount, unit), unit);
  require(again && *again == *amount, "a quantity does not come back");
  for (const auto to : {model::rounding::up, model::rounding::down})
    require(!model::human_amount(*amount, unit, to).empty(), "an amount is not shown");
  const auto bounded = model::parse_quantity(text, unit, model::request_max);
  require(bounded.has_value() == (*amount <= model::request_max), "the bound is not kept");
  return true;
}

const registered quantities{
    {.name = "quantities",
     .what = form::text,
     .choice_bytes = 1,
     .take = take_quantity,
     .seeds =
         [] {
           std::vector<std::string> out;
           for (const auto* text : {"2", "500m", "64Mi", "1e3", "1.5", "0.1k", "8Ei", "3E", "12n",
                                    "100000u", "+7", "1E-2", "00000000000000000001", ".5"})
             for (std::size_t unit = 0; unit < 3; ++unit) out.push_back(with_choice(unit, text));
           return out;
         },
     .inputs = 60'000}};

/// One kind of small text. What is taken is the same after it was written and read again, where
/// there is a function that writes.
struct word {
  bool (*take)(std::string_view);
  const char* seed;
};

template <class Read, class Write>
bool as_written(std::string_view text, const Read& read, const Write& write) {
  const auto value = read(text);
  if (!value) return false;
  const auto again = read(write(*value));
  require(again && *again == *value, "a word does not come back");
  return true;
}

bool take_duration(std::string_view text) {
  const auto time = parse_duration(text);
  if (!time) return refused(time.error());
  require(time->count() >= 0 && *time <= std::chrono::days{1'000}, "a duration is out of range");
  return true;
}

bool take_ulid(std::string_view text) {
  return as_written(text, parse_ulid, [](const ulid& id) { return to_string(id); });
}

bool take_event_id(std::string_view text) {
  return as_written(
      text, [](std::string_view t) { return codec::parse_event_id(std::string{t}); },
      [](const auto& id) { return codec::to_text(id); });
}

bool take_cursor(std::string_view text) {
  const auto own = codec::own_cursor(std::string{text}, "Query.ListNodes", {}, {7});
  if (!own) return refused(own.error());
  return true;
}

bool take_log_place(std::string_view text) {
  static_cast<void>(codec::parse_claim(text));
  return as_written(text, codec::parse_log_place,
                    [](const auto& place) { return codec::to_text(place); });
}

bool take_kubelet_place(std::string_view text) {
  return as_written(text, backends::parse_log_place,
                    [](const auto& place) { return backends::to_text(place); });
}

bool take_identity(std::string_view text) {
  return as_written(text, access::parse_identity,
                    [](const auto& who) { return access::to_string(who); });
}

bool take_subject(std::string_view text) {
  const auto call = access::parse_api_subject(text);
  static_cast<void>(access::agent_of_subject(text));
  static_cast<void>(access::may_answer_to(call, text));
  static_cast<void>(access::may_reply(text, "_INBOX.user.alice.1"));
  const auto valid = bus::validate_pattern(text);
  if (!valid) return refused(valid.error());
  static_cast<void>(bus::matches(text, "argosy.api.alice.Submit.SubmitJobs"));
  require(!bus::validate_subject(text) || bus::matches(text, text), "a subject is not its own");
  return !call.method.empty();
}

bool take_image(std::string_view text) {
  const auto name = backends::parse_image(text);
  if (!name) return refused(name.error());
  const auto again = backends::parse_image(backends::to_string(*name));
  // What is added to a name that is as long as it may be makes it too long.
  require(again || text.size() > 480, "the name of an image is not read again");
  require(!again || *again == *name, "an image does not come back");
  static_cast<void>(backends::is_allowed(*name, {"registry:5000/team/"}));
  return backends::may_change(*name) || !backends::is_on_loopback(*name);
}

bool take_url(std::string_view text) {
  const auto url = kube::read_server_url(text);
  if (!url) return refused(url.error());
  const auto again = kube::read_server_url(url->text());
  require(again && again->text() == url->text() && again->path == url->path,
          "a URL does not come back");
  return true;
}

bool take_address(std::string_view text) {
  static_cast<void>(border::address_block::of_peer(text));
  static_cast<void>(settings::check_nats_urls(std::string{text}));
  static_cast<void>(settings::host_of(text));
  return read_host_and_port(text).has_value();
}

bool take_base64(std::string_view text) {
  static_cast<void>(as_written(text, kube::decode_base64, kube::encode_base64));
  return as_written(text, access::decode_base64url, access::encode_base64url);
}

bool take_pattern(std::string_view text) {
  const auto made = pattern::make(std::string{text});
  if (!made) return refused(made.error());
  static_cast<void>(made->is_in(std::string(1'000, 'a')));
  return true;
}

bool take_time(std::string_view text) {
  static_cast<void>(rpc::read_timeout(text));
  return kube::read_rfc3339(text).has_value();
}

bool take_run(std::string_view text) {
  const std::string name{text};
  static_cast<void>(as_written(
      text, [](std::string_view t) { return backends::parse_run_key(std::string{t}); },
      [](const model::run_key& run) { return to_string(run); }));
  if (!backends::run_of_pod(name)) return false;
  require(backends::pod_of_run(*backends::run_of_pod(name)) == name, "a pod has another run");
  return true;
}

bool take_job(std::string_view text) {
  const auto job = ctl::job_reference::parse(text);
  if (!job) return refused(job.error());
  require(ctl::job_reference::parse(job->text()) == *job, "a job does not come back");
  return true;
}

bool take_question(std::string_view text) {
  static_cast<void>(!access::parse_role(text));
  const auto asked = access::parse_question(text);
  return asked ? true : refused(asked.error());
}

bool take_label(std::string_view text) {
  const auto time = backends::parse_sim_duration(text);
  if (!time) refused(time.error());
  require(!model::is_label_value(text) || text.size() <= 63, "a label is too long");
  return model::is_label_name(text);
}

constexpr std::array all_words{
    word{take_duration, "1.5m"},
    word{take_ulid, "01h455vb4pex5vsknk084sn02q"},
    word{take_event_id, "12:3:0:1:00000000000000ff"},
    word{take_cursor, "7-0000000000000000/ListNodes/a"},
    word{take_log_place, "12-00000000000000ff"},
    word{take_kubelet_place, "1763805602000000000-2-17"},
    word{take_identity, "agent/east.example"},
    word{take_subject, "argosy.api.alice.tenant.Submit.SubmitJobs"},
    word{take_image, "registry:5000/team/tool:1.36"},
    word{take_image,
         "busybox@sha256:"
         "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"},
    word{take_url, "https://[fe80::1]:6443/k8s/clusters/c-1"},
    word{take_address, "ipv6:%5B::1%5D:53120"},
    word{take_address, "tls://user:word@nats.example:4222,nats://127.0.0.1"},
    word{take_base64, "c2VzYW1l"},
    word{take_pattern, "^(out of|no) memory.*[a-z]{2,5}$"},
    word{take_time, "2026-01-31T12:00:00.5+01:00"},
    word{take_time, "250m"},
    word{take_run, "armada-01h455vb4pex5vsknk084sn02q-0"},
    word{take_run, "01h455vb4pex5vsknk084sn02q-1"},
    word{take_job, "job/01H455VB"},
    word{take_question, "submit"},
    word{take_label, "example.com/team"},
    word{take_label, "1m30s"},
};

const registered words{{.name = "words",
                        .what = form::text,
                        .choice_bytes = 1,
                        .take =
                            [](std::string_view input) {
                              const auto [which, text] = choose(input, all_words.size());
                              return all_words[which].take(text);
                            },
                        .seeds =
                            [] {
                              std::vector<std::string> out;
                              for (std::size_t i = 0; i < all_words.size(); ++i)
                                out.push_back(with_choice(i, all_words[i].seed));
                              return out;
                            },
                        .inputs = 40'000}};

bool take_search(std::string_view input) {
  const codec::search_context noon{100'000'000'000'000, "ann"};
  const auto terms = codec::parse_search_text(input, noon);
  if (!terms) return refused(terms.error());
  require(terms->size() <= input.size(), "a search has more terms than letters");
  std::string twice{input};
  twice += ' ';
  twice += input;
  const auto again = codec::parse_search_text(twice, noon);
  require(!again || again->size() == 2 * terms->size(), "terms are not one after another");
  return true;
}

const registered searches{
    {.name = "searches",
     .what = form::text,
     .take = take_search,
     .seeds =
         [] {
           return std::vector<std::string>{
               "state:failed,preempted  queue:research  -jobSet:test*  cpu>=8  memory<64Mi  age>2h",
               "owner:me  reason:\"*out of memory*\"  annotation.team:ocean  label.run:*",
               "submitted>=2026-11-24 changed<2026-11-24T10:00:00Z exit:137 priority<=-5 gang:*",
               "queue!=a @example.com/team:sea resource.example.com/fpga>1 id:01h state:active"};
         },
     .inputs = 10'000}};

}  // namespace
}  // namespace argosy::fuzz

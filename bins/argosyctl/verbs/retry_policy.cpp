// SPDX-License-Identifier: Apache-2.0
// The verbs retry-policy create|update|delete, and get retry-policies.
#include <fmt/format.h>

#include <iterator>

#include "bins/argosyctl/client/input.hpp"
#include "bins/argosyctl/output/json.hpp"
#include "bins/argosyctl/output/text.hpp"
#include "bins/argosyctl/verbs/command.hpp"
#include "bins/argosyctl/verbs/get.hpp"
#include "bins/argosyctl/verbs/list_command.hpp"
#include "messages/codec/api/retry_codec.hpp"
#include "messages/submit_file/job_file.hpp"

namespace argosy::ctl {

namespace {

constexpr std::size_t policy_file_size_max = 4u << 20;

result<std::vector<model::retry_policy>> policies_of(session& s, const std::string& file) {
  const auto text = read_input(s.in, file, policy_file_size_max);
  if (!text) return fail(ec::invalid_argument, text.error().detail);
  const auto shown = file == "-" ? std::string{"stdin"} : file;
  auto policies = submit_file::read_policies(*text, shown);
  if (policies && policies->empty())
    return fail(ec::invalid_argument, shown + " has no retry policy");
  return policies;
}

/// Says "retry-policy/a created", or the name with -o name.
void print_done(session& s, const std::string& name, const char* what) {
  s.out.print_line("retry-policy/" + escaped(name) +
                   (s.as == format::name ? "" : std::string{" "} + what));
}

template <bool Update>
class set_command final : public command {
 public:
  explicit set_command(CLI::App& app) {
    app.footer(Update ? "argosyctl retry-policy update -f policy.yaml"
                      : "argosyctl retry-policy create -f policy.yaml");
    app.add_option("-f,--file", file_, "Policies of this file (kind: RetryPolicy); - for stdin")
        ->required()
        ->type_name("FILE");
    app.add_flag("--dry-run", dry_run_, "Only read and check");
  }
  std::vector<std::string> formats() const override { return {"table", "name"}; }
  result<exit_code> run(session& s) override;

 private:
  std::string file_;
  bool dry_run_ = false;
};

template <bool Update>
result<exit_code> set_command<Update>::run(session& s) {
  const auto policies = policies_of(s, file_);
  if (!policies) return fail(policies.error());
  if (dry_run_) {
    s.out.notice(fmt::format("{} retry polic{} checked; nothing was sent", policies->size(),
                             policies->size() == 1 ? "y" : "ies"));
    return exit_code::success;
  }
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  bool any = false;
  for (const auto& policy : *policies) {
    api::RetryPolicy request;
    codec::to_wire(policy, request);
    const auto done = call<google::protobuf::Empty>(
        **server,
        Update ? "RetryPolicyService.UpdateRetryPolicy" : "RetryPolicyService.CreateRetryPolicy",
        request);
    if (!done && !any) return fail(done.error());
    if (!done) {
      s.out.error_line(fmt::format("retry policy '{}': {}", policy.name, done.error().detail));
      return exit_code::partial;
    }
    any = true;
    print_done(s, policy.name, Update ? "updated" : "created");
  }
  return exit_code::success;
}

class delete_policy_command final : public command {
 public:
  explicit delete_policy_command(CLI::App& app) {
    app.footer("argosyctl retry-policy delete twice");
    app.add_option("name", name_, "Name of the policy, which leaves all queues")
        ->required()
        ->type_name("POLICY");
  }
  std::string_view completes() const override { return "retry-policies"; }
  std::vector<std::string> formats() const override { return {"table", "name"}; }
  result<exit_code> run(session& s) override {
    auto server = s.server();
    if (!server) return fail(std::move(server.error()));
    // The server answers OK for one that is not there, as Armada does.
    api::RetryPolicyGetRequest known;
    known.set_name(name_);
    const auto found = call<api::RetryPolicy>(**server, "RetryPolicyService.GetRetryPolicy", known);
    if (!found) return fail(found.error());
    api::RetryPolicyDeleteRequest request;
    request.set_name(name_);
    const auto done =
        call<google::protobuf::Empty>(**server, "RetryPolicyService.DeleteRetryPolicy", request);
    if (!done) return fail(done.error());
    print_done(s, name_, "deleted");
    return exit_code::success;
  }

 private:
  std::string name_;
};

class get_policies_command final : public list_command {
 public:
  explicit get_policies_command(CLI::App& app) : list_command(app) {
    app.footer("argosyctl get retry-policies -o json");
    app.add_option("names", names_, "Only those with these names")->type_name("POLICY");
  }
  std::string_view completes() const override { return "retry-policies"; }

 protected:
  result<listing> fetch(session& s, client& server) override;

 private:
  std::vector<std::string> names_;
};

const char* word_of(api::RetryAction action) {
  return action == api::RETRY_ACTION_RETRY ? "retry" : "fail";
}

std::string rules_of(const api::RetryPolicy& policy) {
  std::string out;
  for (const auto& rule : policy.rules())
    out += fmt::format("{}{}{}{}: {}", out.empty() ? "" : ", ", rule.on_category(),
                       rule.on_subcategory().empty() ? "" : "/", rule.on_subcategory(),
                       word_of(rule.action()));
  return out;
}

result<listing> get_policies_command::fetch(session&, client& server) {
  auto answer = call<api::RetryPolicyList>(server, "RetryPolicyService.GetRetryPolicies",
                                           api::RetryPolicyListRequest{});
  if (!answer) return fail(std::move(answer.error()));
  std::vector<std::string> plain;
  for (const auto& policy : answer->retry_policies()) plain.push_back(policy.name());
  auto picked = pick_named(names_, plain, "retry policy");
  if (!picked) return fail(std::move(picked.error()));
  listing items{
      {{.title = "POLICY", .yields_to = 8}, {"LIMIT", alignment::right}, {"DEFAULT"}, {"RULES"}}};
  for (const auto index : *picked) {
    const auto& policy = answer->retry_policies(static_cast<int>(index));
    items.rows.add({policy.name(), number(policy.retry_limit()),
                    std::string{word_of(policy.default_action())}, rules_of(policy)});
    items.names.push_back("retry-policy/" + policy.name());
    items.json.push_back(json_of(policy));
  }
  items.bare = names_.size() == 1;
  if (plain.empty())
    items.hint = "no retry policies; create one with: argosyctl retry-policy create -f FILE";
  return items;
}

}  // namespace

void define_retry_policy(CLI::App& app, command_set& commands) {
  define_part<set_command<false>>(app, commands, "create", "Create policies, or replace them.");
  define_part<set_command<true>>(app, commands, "update", "Replace policies that exist.");
  define_part<delete_policy_command>(app, commands, "delete",
                                     "Delete a policy, and take it from all queues.");
  app.footer(
      "argosyctl retry-policy create -f policy.yaml\n"
      "argosyctl get retry-policies");
}

void define_describe_policies(CLI::App& describe, command_set& commands) {
  auto& kind =
      add_kind(describe, "retry-policy", "A retry policy and its rules.", {"retry-policies"});
  commands.bind<get_policies_command>(kind);
  kind.footer("argosyctl describe retry-policy twice");
}

void define_get_policies(CLI::App& get, command_set& commands) {
  commands.bind<get_policies_command>(
      add_kind(get, "retry-policies", "Policies that say which failed runs are tried again.",
               {"retry-policy"}));
}

}  // namespace argosy::ctl

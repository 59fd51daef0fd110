// SPDX-License-Identifier: Apache-2.0
// The verb run -- COMMAND: submits one job that flags describe, prints its output as it comes, and
// ends with the exit code of the command.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "bins/argosyctl/client/new_id.hpp"
#include "bins/argosyctl/client/submission.hpp"
#include "bins/argosyctl/output/json.hpp"
#include "bins/argosyctl/output/yaml.hpp"
#include "bins/argosyctl/verbs/jobs/attend.hpp"
#include "bins/argosyctl/verbs/jobs/submit_files.hpp"
#include "bins/argosyctl/verbs/priority.hpp"
#include "bins/argosyctl/verbs/queues/queue_names.hpp"
#include "bins/shared/empty_values.hpp"
#include "messages/codec/submit/own_annotations.hpp"
#include "messages/submit_file/job_file.hpp"
#include "runtime/base/duration.hpp"
#include "runtime/base/utf8.hpp"

namespace argosy::ctl {

namespace {

/// How the mistakes of the job that the flags describe name their place, which is no file.
constexpr std::string_view no_file = "flags";

class run_command final : public command {
 public:
  explicit run_command(CLI::App& app) {
    app.footer(
        "argosyctl run -q team-a -- hostname\n"
        "argosyctl run -q team-a --cpu 4 --memory 8Gi --env SEED=7 -- ./simulate --steps 100\n"
        "argosyctl run -q team-a --rm --timeout 1h -- sh -c 'make && make test'\n"
        "argosyctl run -q team-a --detach -o name -- ./nightly\n"
        "argosyctl run -q team-a --image debian:12 -- date\n"
        "argosyctl run -q team-a --gpu 1 --image cuda:12 --print -- train > job.yaml");
    takes_empty(app.add_option("command", command_,
                               "Command and its arguments, behind --; its standard input is empty"))
        ->required()
        ->type_name("COMMAND");
    app.add_option("-q,--queue", queue_, "Queue of the job")->required()->type_name("QUEUE");
    app.add_option("--jobset", job_set_, "Job set of the job; usually its name")->type_name("SET");
    app.add_option("--name", name_, "Name of the job; without it that of its program")
        ->type_name("NAME");
    app.add_option("--after", after_,
                   "A job for which it waits, by id, with :ended, :failed or :started behind it if "
                   "it need not succeed; may be given several times")
        ->type_name("JOB")
        ->allow_extra_args(false);
    app.add_option("--time-limit", asks_.time_limit, "Ends it after this time, such as 90m or 2h")
        ->type_name("TIME");
    app.add_option("--cpu", asks_.cpu, "Cores that it needs, such as 2 or 500m")
        ->capture_default_str()
        ->type_name("N");
    app.add_option("--memory,--mem", asks_.memory, "Memory that it needs")
        ->capture_default_str()
        ->type_name("SIZE");
    app.add_option("--gpu", asks_.gpu, "GPUs (nvidia.com/gpu) that it needs")->type_name("N");
    app.add_option("--image", image_, "Image, which clusters of plain processes do not look at")
        ->capture_default_str()
        ->type_name("IMAGE");
    app.add_option("-n,--namespace", namespace_,
                   "Namespace of Kubernetes in which its pod is made; without it the only one that "
                   "its queue or the clusters allow, or `default`")
        ->type_name("NAMESPACE");
    app.add_option("--env", env_, "A variable for the command; may be given several times")
        ->type_name("K=V")
        ->allow_extra_args(false);
    app.add_option("--priority-class", class_, "Its priority class")->type_name("CLASS");
    app.add_option("--priority", priority_, "A lower number is earlier in its queue")
        ->type_name("N");
    app.add_option("--idempotency-key", key_,
                   "Name of this submission: a job that was accepted under it is not submitted a "
                   "second time. Without it argosyctl makes one, and tells it if you need it")
        ->type_name("KEY");
    app.add_flag("-d,--detach", detach_, "Only submit it");
    app.add_flag("--rm", remove_, "Cancel the job when Ctrl-C or --timeout ends the waiting");
    app.add_flag("--print", print_, "Print the job as a file for submit, and submit nothing");
  }
  std::vector<std::string> formats() const override { return {"table", "name", "json"}; }
  bool waits() const override { return !detach_; }
  std::string_view timeout_help() const override { return waiting_timeout_help; }
  result<exit_code> run(session& s) override;

 private:
  result<void> check_words() const;
  result<nlohmann::ordered_json> described() const;
  result<std::string> submit(session& s, client& server, const submit_file::job_file& job) const;
  void tell(session& s, const std::string& id) const;

  std::vector<std::string> command_;
  std::string queue_;
  std::string job_set_;
  std::string name_;
  std::vector<std::string> after_;
  struct {
    std::string cpu = "1";
    std::string memory = "1Gi";
    std::string gpu{};
    std::string time_limit{};
  } asks_;
  std::string image_ = "none";
  std::string namespace_;
  std::vector<std::string> env_;
  std::string class_;
  std::string priority_ = "0";
  std::string key_;
  bool detach_ = false;
  bool remove_ = false;
  bool print_ = false;
};

/// Returns the text as it has to stand in a pod spec, where $(NAME) is replaced and $$ means $, so
/// that the command gets what was typed.
std::string typed(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    const bool is_read = i + 1 < text.size() && (text[i + 1] == '$' || text[i + 1] == '(');
    if (text[i] == '$' && is_read) out += '$';
  }
  return out;
}

/// What is typed is sent as it is or not at all.
result<void> run_command::check_words() const {
  if (command_.front().empty())
    return fail(ec::invalid_argument, "COMMAND is empty; name a program");
  for (const auto& word : command_)
    if (!is_utf8(word))
      return fail(ec::invalid_argument,
                  fmt::format("'{}' is not UTF-8, and a job has text alone; call a script that "
                              "has these bytes in it",
                              word));
  for (const auto& variable : env_)
    if (!is_utf8(variable))
      return fail(ec::invalid_argument,
                  fmt::format("--env {}: this is not UTF-8, and a job has text alone", variable));
  return {};
}

/// The job as a file for submit.
result<nlohmann::ordered_json> run_command::described() const {
  using json = nlohmann::ordered_json;
  if (auto ok = check_words(); !ok) return fail(ok.error());
  const auto priority = parse_priority(priority_);
  if (!priority) return fail(ec::invalid_argument, "--priority: " + priority.error().detail);
  json amounts{{"cpu", asks_.cpu}, {"memory", asks_.memory}};
  if (!asks_.gpu.empty()) amounts["nvidia.com/gpu"] = asks_.gpu;
  json container{{"name", "main"}, {"image", image_}, {"command", json::array()}};
  for (const auto& word : command_) container["command"].push_back(typed(word));
  for (const auto& variable : env_) {
    const auto equals = variable.find('=');
    if (equals == 0 || equals == std::string::npos)
      return fail(ec::invalid_argument, fmt::format("--env {}: write KEY=VALUE", variable));
    container["env"].push_back({{"name", variable.substr(0, equals)},
                                {"value", typed(std::string_view{variable}.substr(equals + 1))}});
  }
  container["resources"] = {{"requests", amounts}, {"limits", amounts}};
  json pod{{"restartPolicy", "Never"}};
  if (!class_.empty()) pod["priorityClassName"] = class_;
  pod["containers"] = json::array({container});
  if (!asks_.time_limit.empty()) {
    const auto limit = parse_duration(asks_.time_limit);
    if (!limit || *limit < std::chrono::seconds{1})
      return fail(
          ec::invalid_argument,
          fmt::format("--time-limit {}: write a time from 1s on, such as 90m", asks_.time_limit));
    pod["activeDeadlineSeconds"] = std::chrono::ceil<std::chrono::seconds>(*limit).count();
  }
  json item{{"priority", *priority}, {"podSpec", pod}};
  auto name = name_.empty() ? std::filesystem::path{command_.front()}.filename().string() : name_;
  if (!name_.empty() || codec::check_job_name(name)) item["name"] = std::move(name);
  if (!after_.empty()) item["after"] = after_;
  if (!namespace_.empty()) item["namespace"] = namespace_;
  return json{{"queue", queue_},
              {"jobSetId", !job_set_.empty() ? job_set_
                           : name_.empty()   ? "main"
                                             : name_},
              {"jobs", json::array({item})}};
}

/// The mistakes without their places, since the user wrote no file.
error without_places(error why) {
  std::string out;
  for (std::size_t begin = 0; begin < why.detail.size();) {
    const auto end = std::min(why.detail.find('\n', begin), why.detail.size());
    std::string_view line{why.detail.data() + begin, end - begin};
    if (line.starts_with(no_file))
      if (const auto place = line.find(": "); place != std::string_view::npos)
        line.remove_prefix(place + 2);
    // An amount is both requested and the limit, and has one mistake twice.
    if (out.find(line) == std::string::npos) out.append(out.empty() ? "" : "\n").append(line);
    begin = end + 1;
  }
  why.detail = std::move(out);
  return why;
}

result<std::string> run_command::submit(session& s, client& server,
                                        const submit_file::job_file& job) const {
  auto parts = submit_file::divide(job, server.request_size_max(), 1);
  if (!parts) return fail(without_places(std::move(parts.error())));
  std::vector<submit_request> requests{{std::move(parts->front().bytes), 1}};
  give_keys(requests, key_);
  std::string id;
  submission_events events;
  events.stop = [&] { return s.is_interrupted(); };
  events.on_accepted = [&](std::size_t, const std::vector<std::string>& ids) {
    if (!ids.empty()) id = ids.front();
  };
  events.on_note = [&](const std::string& note) { s.out.notice("note: " + note); };
  auto failed = submit_all(server, requests, events);
  if (!failed) return id;
  const auto unknown = fmt::format(
      "; whether the job was accepted is unknown: no second one is submitted if you run it again "
      "with --idempotency-key {}",
      key_);
  if (failed->stopped && id.empty()) return fail(ec::cancelled, "interrupted" + unknown);
  if (exit_code_of(failed->why) == exit_code::not_found) return fail(unknown_queue(server, queue_));
  if (failed->unknown) failed->why.detail += unknown;
  return fail(std::move(failed->why));
}

/// Only the command's output goes to stdout when it is waited for.
void run_command::tell(session& s, const std::string& id) const {
  if (!detach_) return s.out.notice(fmt::format("job/{} submitted", id));
  if (s.as == format::json)
    s.out.print_line(fmt::format(R"({{"jobId":{}}})", json_string(id)));
  else
    s.out.print_line(fmt::format("job/{}{}", id, s.as == format::name ? "" : " submitted"));
}

result<exit_code> run_command::run(session& s) {
  if (detach_ && remove_)
    return fail(ec::invalid_argument, "--rm cancels a job that is waited for; leave out --detach");
  if (auto ok = check_key(key_); !ok) return fail(std::move(ok.error()));
  const auto text = described();
  if (!text) return fail(text.error());
  const auto job = submit_file::read_jobs(
      as_yaml(text->dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)),
      std::string{no_file});
  if (!job) return fail(without_places(job.error()));
  if (print_) {
    s.out.print(yaml_of(text->dump(-1, ' ', true)));
    return exit_code::success;
  }
  if (s.out.where().in_has_data)
    s.out.notice(
        "note: the job gets nothing of this input: its standard input is empty. Name a file that "
        "its machine has");
  if (key_.empty()) key_ = new_id(s.now_ns());
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  const auto id = submit(s, **server, *job);
  if (!id) return fail(id.error());
  (void)s.keep_last_jobs(*id + "\n");
  s.carried_out = fmt::format("job/{} was submitted", *id);
  tell(s, *id);
  s.out.flush();
  if (detach_) return exit_code::success;
  return attend_job(s, **server, {*id, job->queue, job->job_set}, remove_);
}

}  // namespace

void define_run(CLI::App& app, command_set& commands) {
  define_verb<run_command>(app, commands);
}

}  // namespace argosy::ctl

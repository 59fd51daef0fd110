// SPDX-License-Identifier: Apache-2.0
// The verbs controlplane list, handover, forget and drill, and get controlplane: which argosyd are
// this control plane, who of them leads, and what the next loss would cost.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "bins/argosyctl/output/human.hpp"
#include "bins/argosyctl/output/json.hpp"
#include "bins/argosyctl/output/text.hpp"
#include "bins/argosyctl/verbs/get.hpp"
#include "bins/argosyctl/verbs/list_command.hpp"
#include "messages/proto/argosy/control.pb.h"

namespace argosy::ctl {

namespace {

namespace v1 = argosy::v1;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds look_again{50};
/// A question to the leader that ends may find nobody.
constexpr auto takeover_limit = std::chrono::seconds{30};

look member_look(const v1::ControlPlaneMember& member) {
  if (member.state() == "silent" || !member.problem().empty()) return look::bad;
  if (member.state() == "leads") return look::good;
  return member.has_behind() ? look::plain : look::warning;
}

/// What would be lost if the leader's machine burnt now.
std::string loss_text(const v1::GetControlPlaneResponse& from) {
  if (!from.has_only_here())
    return from.warning().empty() ? "no other argosyd follows the log, so that what is accepted is "
                                    "lost with the disks of this one and of the log"
                                  : from.warning();
  auto text = from.only_here() == 0
                  ? std::string{"if the leader's machine burnt now, nothing would be lost"}
                  : fmt::format(
                        "if the machines of the leader and of the log burnt now, {} {} "
                        "would be lost",
                        from.only_here(), from.only_here() == 1 ? "record" : "records");
  return from.warning().empty() ? text : text + "; " + from.warning();
}

result<v1::GetControlPlaneResponse> look_at(client& server) {
  return call<v1::GetControlPlaneResponse>(server, "ControlPlane.Get",
                                           v1::GetControlPlaneRequest{});
}

class control_plane_list final : public list_command {
 public:
  explicit control_plane_list(CLI::App& app) : list_command(app) {
    app.footer("argosyctl controlplane list -o wide");
  }

 protected:
  result<listing> fetch(session& s, client& server) override;
};

result<listing> control_plane_list::fetch(session& /*s*/, client& server) {
  const auto all = look_at(server);
  if (!all) return fail(all.error());
  listing items{{{.title = "PLACE", .yields_to = 20},
                 {.title = "PROCESS", .yields_to = 12, .spare = 2},
                 {"STATE"},
                 {.title = "DECIDES", .spare = 1},
                 {.title = "BEHIND", .align = alignment::right},
                 {.title = "ID", .wide = true},
                 {.title = "PROBLEM", .yields_to = 20}}};
  for (const auto& member : all->members()) {
    items.rows.add({member.place(), member.process(), cell{member.state(), member_look(member)},
                    std::string{member.decides() ? "yes" : "no"},
                    member.has_behind() ? std::to_string(member.behind()) : std::string{},
                    member.id(), member.problem()});
    items.names.push_back("plane/" + member.id());
    items.json.push_back(json_of(member));
  }
  items.notice = loss_text(*all);
  return items;
}

/// Who leads now, and how long it took.
struct taken_over {
  std::string process;
  std::string place;
  milliseconds after{};
};

result<taken_over> hand_over(const session& s, client& server, const std::string& to,
                             const std::string& reason) {
  v1::HandOverRequest request;
  request.set_to(to);
  request.set_reason(reason);
  const auto begun = steady_clock::now();
  const auto told =
      call<v1::HandOverResponse>(server, "ControlPlane.HandOver", request, repeatable::no);
  if (!told) return fail(told.error());
  std::optional<error> last;
  while (steady_clock::now() - begun < takeover_limit && !s.should_stop()) {
    const auto now = look_at(server);
    if (now && now->epoch() > told->epoch())
      return taken_over{now->members(0).process(), now->members(0).place(),
                        std::chrono::duration_cast<milliseconds>(steady_clock::now() - begun)};
    if (!now) last = now.error();
    s.wait(look_again);
  }
  return fail(ec::timeout, "nobody leads yet after " + told->process() + " has ended its lead" +
                               (last ? ": " + last->detail : std::string{}));
}

std::string seconds_text(milliseconds time) {
  return fmt::format("{:.2f} s", std::chrono::duration<double>(time).count());
}

class hand_over_command final : public command {
 public:
  explicit hand_over_command(CLI::App& app) {
    app.footer(
        "argosyctl controlplane handover --reason 'host-a gets a new kernel'\n"
        "argosyctl controlplane handover --to host-b");
    app.add_option("--to", to_, "Who is to lead, by host, place, process or id")
        ->type_name("PLANE");
    app.add_option("--reason", reason_, "Why, for the log")->type_name("TEXT");
  }
  std::vector<std::string> formats() const override { return {"table", "name"}; }
  result<exit_code> run(session& s) override {
    auto server = s.server();
    if (!server) return fail(std::move(server.error()));
    const auto done = hand_over(s, **server, to_, reason_);
    if (!done) return fail(done.error());
    s.out.print_line(s.as == format::name
                         ? escaped(done->place)
                         : fmt::format("{} ({}) leads after {}", escaped(done->place),
                                       escaped(done->process), seconds_text(done->after)));
    return exit_code::success;
  }

 private:
  std::string to_;
  std::string reason_;
};

class forget_plane_command final : public command {
 public:
  explicit forget_plane_command(CLI::App& app) {
    app.footer("argosyctl controlplane forget host-c --reason 'the machine has burnt' --yes");
    takes_printed(app.add_option("plane", plane_, "Which one, by host, place or id"), "plane")
        ->required()
        ->type_name("PLANE");
    app.add_option("--reason", reason_, "Why, for the log")->type_name("TEXT");
    app.add_flag("--yes", yes_, "It is gone for good");
  }
  std::vector<std::string> formats() const override { return {"table", "name"}; }
  result<exit_code> run(session& s) override;

 private:
  std::string plane_;
  std::string reason_;
  bool yes_ = false;
};

result<exit_code> forget_plane_command::run(session& s) {
  if (!yes_)
    return fail(ec::invalid_argument,
                fmt::format("'{}' decides no more once another one has taken its place; if it is "
                            "gone for good, repeat this with --yes",
                            plane_));
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  v1::ForgetPlaneRequest request;
  request.set_plane(plane_);
  request.set_reason(reason_);
  auto done = call<v1::ForgetPlaneResponse>(**server, "ControlPlane.Forget", request);
  if (!done) return fail(std::move(done.error()));
  s.out.print_line(s.as == format::name
                       ? "plane/" + escaped(plane_)
                       : "plane/" + escaped(plane_) +
                             " is forgotten; another one takes its place as soon as it has all of "
                             "the log");
  return exit_code::success;
}

class drill_command final : public command {
 public:
  explicit drill_command(CLI::App& app) {
    app.footer("argosyctl controlplane drill --yes");
    app.add_flag("--yes", yes_, "Callers may wait for a moment at each step");
  }
  std::vector<std::string> formats() const override { return {"table", "csv"}; }
  result<exit_code> run(session& s) override;

 private:
  bool yes_ = false;
};

bool could_lead(const v1::ControlPlaneMember& member) {
  return member.state() == "leads" || (member.state() == "follows" && member.problem().empty());
}

/// Waits until each of these has followed and could lead.
result<void> wait_for_all(const session& s, client& server, const std::vector<std::string>& ids) {
  const auto until = steady_clock::now() + takeover_limit;
  while (steady_clock::now() < until && !s.should_stop()) {
    const auto now = look_at(server);
    std::size_t able = 0;
    if (now)
      for (const auto& member : now->members())
        if (could_lead(member) && std::ranges::find(ids, member.id()) != ids.end()) ++able;
    if (able == ids.size()) return {};
    s.wait(look_again);
  }
  return fail(ec::timeout, "not all argosyd follow again; see argosyctl controlplane list");
}

result<exit_code> drill_command::run(session& s) {
  if (!yes_)
    return fail(ec::invalid_argument,
                "the drill hands the lead to each argosyd that decides, and back; callers wait for "
                "a moment at each step. Repeat this with --yes");
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  const auto before = look_at(**server);
  if (!before) return fail(before.error());
  std::vector<std::string> ids;
  for (const auto& member : before->members()) {
    if (!could_lead(member))
      return fail(ec::conflict,
                  fmt::format("'{}' could not lead, so that a drill would be no drill: it is {}{}",
                              member.place(), member.state(),
                              member.problem().empty() ? "" : ", " + member.problem()));
    ids.push_back(member.id());
  }
  if (ids.size() < 2)
    return fail(ec::conflict, "there is no other argosyd to which the lead could be handed");
  table rows{{{"TO"}, {"PROCESS"}, {.title = "TOOK", .align = alignment::right}}};
  for (std::size_t at = 1; at <= ids.size(); ++at) {
    const auto& next = ids[at % ids.size()];
    if (auto all = wait_for_all(s, **server, ids); !all) return fail(all.error());
    const auto done = hand_over(s, **server, next, "drill");
    if (!done) return fail(done.error());
    rows.add({done->place, done->process, seconds_text(done->after)});
  }
  show_table(s, rows);
  return exit_code::success;
}

}  // namespace

void define_get_control_plane(CLI::App& get, command_set& commands) {
  commands.bind<control_plane_list>(
      add_kind(get, "controlplane", "The argosyd that are this control plane, and who leads.", {}));
}

void define_control_plane(CLI::App& app, command_set& commands) {
  define_part<control_plane_list>(app, commands, "list",
                                  "List those that lead and follow, and what a loss would cost.");
  define_part<hand_over_command>(app, commands, "handover",
                                 "Let another argosyd lead; the present one goes on and follows.");
  define_part<forget_plane_command>(
      app, commands, "forget", "Let one that waits take the place of one that is gone for good.");
  define_part<drill_command>(app, commands, "drill",
                             "Hand the lead to each of them in turn, and say how long it took.");
  app.footer(
      "argosyctl controlplane list\n"
      "argosyctl controlplane handover --to host-b\n"
      "argosyctl controlplane drill --yes");
}

}  // namespace argosy::ctl

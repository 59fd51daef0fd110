// SPDX-License-Identifier: Apache-2.0
// The topics of `help`, which concern all verbs.
#include <array>
#include <string>
#include <utility>

#include "bins/argosyctl/output/exit_code.hpp"
#include "bins/argosyctl/verbs/help.hpp"

namespace argosy::ctl {

namespace {

constexpr std::string_view contexts_text =
    "Where argosyctl finds its server, the first of these that says one:\n"
    "\n"
    "  1. --server URL\n"
    "  2. the variable ARGOSY_SERVER\n"
    "  3. a context of $XDG_CONFIG_HOME/argosy/config.yaml, which usually is\n"
    "     ~/.config/argosy/config.yaml, then of ~/.armadactl.yaml: the one that --context or\n"
    "     ARGOSY_CONTEXT names, else the current one\n"
    "  4. the server that this user last started on this machine with: argosyd --dev\n"
    "\n"
    "The configuration file:\n"
    "\n"
    "  currentContext: work\n"
    "  contexts:\n"
    "    work: {server: \"tls://argosy.example.com:4222\"}\n"
    "    home: {server: \"nats://127.0.0.1:4222\"}\n"
    "    lab: {server: \"nats://10.0.0.1:4222\", credentials: /etc/argosy/user-ann}\n"
    "\n"
    "The address is that of the NATS server, as argosyd prints it. A context may also have one of\n"
    "`user` with `password`, `token`, and `credentials`, which is the path of a credentials file\n"
    "(see: argosyctl help credentials), and `caFile` with certificates that sign the server's.\n"
    "`grpc` is the server's address over gRPC, such as grpcs://argosy.example.com:50051, for the\n"
    "package `argosy` of Python.\n"
    "A server that asks for a certificate gets that of `certificateFile`, whose private key is in\n"
    "`keyFile`.\n"
    "\n"
    "With `oidcIssuer` and `oidcClientId` you log in at an OpenID provider, in a browser on any\n"
    "machine (argosyctl login URL --oidc-issuer URL --oidc-client-id ID), and are who its token\n"
    "says. The token is kept in ~/.local/state/argosy/tokens, where only you can read it, is\n"
    "renewed before it ends, and is never sent unencrypted to another machine.\n"
    "\n"
    "A program that gets its token elsewhere puts it into the variable ARGOSY_TOKEN. It is shown\n"
    "to the server instead of a context's, and is not sent unencrypted either.\n"
    "\n"
    "`argosyctl login URL` tries a server and writes this file, which only you can read then, and\n"
    "`argosyctl config set-context` and its neighbours change it. They do not keep comments.\n";

constexpr std::string_view credentials_text =
    "A server that `argosyd init` or `argosyd --dev` set up asks everybody who he is. argosyctl\n"
    "proves it with a credentials file, the first of these:\n"
    "\n"
    "  1. the file that the variable ARGOSY_CREDENTIALS names\n"
    "  2. the file that the context names with `credentials`\n"
    "  3. the file of the server in the state folder, which usually is\n"
    "     ~/.local/state/argosy/credentials/HOST-PORT\n"
    "\n"
    "`argosyd --dev` puts the third there for the user who starts it. For another server, copy\n"
    "the file that its operator made for you (argosyd init DIR --add-user NAME:ROLE):\n"
    "\n"
    "  install -D -m 600 user-NAME ~/.local/state/argosy/credentials/HOST-PORT\n"
    "\n"
    "The file is a secret: whoever can read it can act as you. It is never sent to the server.\n"
    "What a user may do is his role: viewer, tenant, submitter, operator or owner. A tenant may "
    "do\n"
    "what the queues allow him or his groups, whose owner he is for example. What is not allowed\n"
    "ends with exit code 4. `argosyctl whoami` shows the role, and `argosyctl auth can-i VERB "
    "[QUEUE]`\n"
    "says whether something is allowed, and why.\n";

constexpr std::string_view output_text =
    "-o table   for people; a terminal gets what fits, a file or a pipe gets all rows uncut\n"
    "-o wide    with every column, however long the lines\n"
    "-o name    job/ID, queue/NAME … one a line: what other verbs read with '-'\n"
    "-o json    one object, or {\"items\":[…]} for lists\n"
    "-o jsonl   an object a line, as they come\n"
    "-o yaml    the same as json, for reading\n"
    "-o csv     the rows of a list with every column, by RFC 4180; csv=A,B with these columns\n"
    "-o cols=A,B   a table of these columns, by their titles in any case, job-set for JOB SET\n"
    "\n"
    "JSON is the API's messages in their proto3 form. Of a job it is Armada's JobDetails and a\n"
    "\"summary\" with what is not in there: reason, exitCode, pool, node, requests.\n"
    "Times are UTC: \"2026-11-20T15:04:05.120Z\", in fields that end in Ts; what has not happened\n"
    "is left out. 64-bit numbers are text.\n"
    "An amount of cpu is in thousandths of a core (\"1500\" is 1.5 cpu), of memory and storage in\n"
    "bytes, of anything else (nvidia.com/gpu) in pieces.\n"
    "describe, and lists other than those of jobs, have each time as a field in Ns (nanoseconds\n"
    "since 1970) and as one in Ts, and each amount as \"amount\" and as a \"quantity\" of "
    "Kubernetes:\n"
    "\"1500m\".\n";

constexpr std::string_view job_files_text =
    "A job file is Armada's, and Kubernetes' where it describes a pod:\n"
    "\n"
    "  queue: team-a                  # or --queue\n"
    "  jobSetId: nightly              # or --jobset\n"
    "  jobs:\n"
    "    - priority: 0                # a lower number is earlier in its queue\n"
    "      podSpec:\n"
    "        containers:\n"
    "          - name: main\n"
    "            image: debian:12\n"
    "            command: [sleep, 10]\n"
    "            resources:\n"
    "              requests: {cpu: 1, memory: 64Mi}\n"
    "              limits: {cpu: 1, memory: 64Mi}\n"
    "\n"
    "What Armada's does not have, so that nothing has to be written twice:\n"
    "\n"
    "  count: 64       beside podSpec makes 64 equal jobs; with the annotations of a gang in it\n"
    "                  they are its members\n"
    "  name: train     a name for people, which lists show and --name finds; without one it is\n"
    "                  that of the container, unless this is main, or of the file\n"
    "  array: 0-99     a job for each number, or 0-99:2 for each second one; it finds its own in\n"
    "                  ARGOSY_ARRAY_INDEX, also as $(ARGOSY_ARRAY_INDEX) in command and\n"
    "                  arguments, how many there are in ARGOSY_ARRAY_COUNT, and is called NAME[7]\n"
    "  after: [prep]   it waits until these jobs have succeeded: names of jobs that stand before\n"
    "                  it in the file, or ids of jobs of the same queue. The name of an array is\n"
    "                  all of it, and part[i] in an array its job of the same number.\n"
    "                  prep:ended, or {job: prep, when: ended}, waits for their end, failed for a\n"
    "                  failure, started for the start. A job that can never start is cancelled\n"
    "  onDependencyFailed: hold\n"
    "                  it is held then instead\n"
    "  onPreempted: end\n"
    "                  it ends when the scheduler takes its place for another, and does not queue\n"
    "                  again\n"
    "  &name, *name    an anchor, and the same value once more; <<: *name adds the keys of a\n"
    "                  mapping to another\n"
    "  x-name: …       at the top is a place for values with anchors, and not looked at else\n"
    "  argosy.io/hold  an annotation; with the value \"true\" the job waits until it is released\n"
    "  argosy.io/onNeverFits\n"
    "                  an annotation; with the value \"hold\" the job waits, and is not rejected,\n"
    "                  if no node of any known cluster could take it even if all were empty\n"
    "\n"
    "All mistakes are told at once, with file, line and column. --dry-run checks the file alone;\n"
    "--dry-run=server also has the server check it, which accepts nothing.\n";

constexpr std::string_view conditions_text =
    "Conditions choose jobs, for example in 'argosyctl get jobs --where CONDITIONS'. They have\n"
    "blanks between them, and a job has to meet all of them:\n"
    "\n"
    "  state:failed,preempted      one of these states; active and ended stand for all of a kind\n"
    "  queue:research              the queue has this name\n"
    "  jobSet:night*               the name begins so; *night* contains it; * alone is any\n"
    "  -owner:ann  owner!=ann      a '-' before a condition, or !=, takes the others; owner:me is\n"
    "                              yourself\n"
    "  cpu>=8  memory<64Mi  gpu:4  what the job requests; also resource.NAME\n"
    "  age>2h  changed<10m         the time since it was submitted, or last changed its state\n"
    "  submitted>=2026-11-24       a day, or a time such as 2026-11-24T15:04:05Z\n"
    "  exit:137  priority<5        numbers\n"
    "  reason:\"*out of memory*\"   quotation marks keep blanks, commas and asterisks\n"
    "  annotation.team:ocean       an annotation; @team:ocean is the same\n"
    "  label.app:*                 a label of any value\n"
    "\n"
    "Further fields are id, name, namespace, class, gang, cluster, node and pool, the last three "
    "of\n"
    "the last run. Ended jobs are found as long as the server keeps them. A search by id,\n"
    "annotation or label, or by the queue and state of ended jobs, looks at few others; any other "
    "one looks at\n"
    "every job and takes longer the more there are.\n";

struct topic {
  std::string_view name;
  std::string_view text;
};

constexpr std::array<topic, 6> topics{{{"conditions", conditions_text},
                                       {"exit-codes", {}},
                                       {"contexts", contexts_text},
                                       {"credentials", credentials_text},
                                       {"job-files", job_files_text},
                                       {"output", output_text}}};

}  // namespace

std::optional<std::string> help_topic(std::string_view name) {
  for (const auto& [known, text] : topics)
    if (known == name) return std::string{text.empty() ? exit_code_help() : text};
  return std::nullopt;
}

std::string help_topic_names() {
  std::string names;
  for (const auto& [name, text] : topics) {
    if (!names.empty()) names += "|";
    names += name;
  }
  return names;
}

}  // namespace argosy::ctl

//! The reference pages, written from the definition of the command line itself.

use std::fmt::Write;

use clap::{Arg, Command, CommandFactory};

use crate::args::{Cli, ReferencePage};
use crate::config_file;
use crate::exit;

/// One page, in Markdown.
pub(crate) fn page(page: ReferencePage) -> String {
    let mut root = Cli::command();
    root.build();
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = match page {
        ReferencePage::Cli => commands(&mut text, &root),
        ReferencePage::Configuration => configuration(&mut text, &root),
    };
    text
}

fn commands(text: &mut String, root: &Command) -> std::fmt::Result {
    writeln!(text, "# Command line\n\nWritten by `make gen`; do not edit.\n")?;
    writeln!(text, "{}\n\n```\n{}\n```\n", about(root), exit::HELP)?;
    writeln!(text, "Every command takes:\n")?;
    arguments(text, root.get_arguments().filter(|arg| arg.is_global_set()))?;
    for command in
        root.get_subcommands().filter(|command| !command.is_hide_set() && command.get_name() != "help")
    {
        section(text, "mcpulse", command, 2)?;
    }
    Ok(())
}

fn section(text: &mut String, parent: &str, command: &Command, level: usize) -> std::fmt::Result {
    let name = format!("{parent} {}", command.get_name());
    let positional: String = command.get_positionals().map(|arg| format!(" {}", placeholder(arg))).collect();
    writeln!(text, "\n{} `{name}{positional}`\n\n{}", "#".repeat(level), about(command))?;
    let own: Vec<&Arg> =
        command.get_arguments().filter(|arg| !arg.is_global_set() && arg.get_id() != "help").collect();
    if !own.is_empty() {
        writeln!(text)?;
        arguments(text, own.into_iter())?;
    }
    for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
        section(text, &name, inner, level + 1)?;
    }
    Ok(())
}

fn arguments<'a>(text: &mut String, arguments: impl Iterator<Item = &'a Arg>) -> std::fmt::Result {
    writeln!(text, "| argument | default | meaning |\n|---|---|---|")?;
    for arg in arguments.filter(|arg| !matches!(arg.get_id().as_str(), "help" | "version")) {
        let name = match arg.get_long() {
            Some(long) if arg.get_action().takes_values() => format!("--{long} {}", placeholder(arg)),
            Some(long) => format!("--{long}"),
            None => placeholder(arg),
        };
        writeln!(text, "| `{name}` | {} | {} |", default(arg), help(arg))?;
    }
    Ok(())
}

fn configuration(text: &mut String, root: &Command) -> std::fmt::Result {
    writeln!(
        text,
        "# Configuration\n\nWritten by `make gen`; do not edit.\n\n\
         `mcpulse serve` reads each setting from its flag, else from its environment variable, else from the TOML \
         file that `--config` or `MCPULSE_CONFIG` names, else it takes the default. A key that is no setting is an \
         error. The other commands read `data` alike.\n\n\
         | key | flag | environment | default | meaning |\n|---|---|---|---|---|"
    )?;
    for (_, arg) in config_file::settings(root) {
        let (key, long) = (arg.get_id(), arg.get_long().unwrap_or_default());
        let variable = arg.get_env().unwrap_or_default().to_string_lossy();
        writeln!(text, "| `{key}` | `--{long}` | `{variable}` | {} | {} |", default(arg), help(arg))?;
    }
    writeln!(
        text,
        "\nLists are TOML arrays in the file, and values with commas between them in the environment.\n\n\
         ```toml\nlisten = \"0.0.0.0:7077\"\npublic_url = \"https://mcpulse.example.org\"\n\
         data = \"/var/lib/mcpulse\"\n```"
    )
}

fn about(command: &Command) -> String {
    command.get_about().map(ToString::to_string).unwrap_or_default()
}

fn help(arg: &Arg) -> String {
    let mut help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let values: Vec<String> = arg
        .get_possible_values()
        .iter()
        .filter(|_| arg.get_action().takes_values())
        .map(|value| format!("`{}`", value.get_name()))
        .collect();
    if !values.is_empty() {
        help = format!("{help}. One of {}", values.join(", "));
    }
    help.replace('|', "\\|")
}

fn default(arg: &Arg) -> String {
    let values: Vec<String> =
        arg.get_default_values().iter().map(|value| format!("`{}`", value.to_string_lossy())).collect();
    if arg.get_action().takes_values() { values.join(", ") } else { String::new() }
}

fn placeholder(arg: &Arg) -> String {
    let name = arg
        .get_value_names()
        .and_then(<[_]>::first)
        .map_or_else(|| arg.get_id().to_string().to_uppercase(), ToString::to_string);
    if arg.is_required_set() || arg.get_long().is_some() { format!("<{name}>") } else { format!("[{name}]") }
}

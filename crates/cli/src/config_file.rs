//! The configuration file. Its settings are turned into flags, put before those that were typed: clap then checks
//! both alike. What is typed or in the environment counts, what is in the file is left out.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::{Arg, ArgAction, Command, CommandFactory};
use toml::Value;

use crate::args::Cli;
use crate::exit::Failure;

/// The arguments with what the configuration file adds to them.
pub(crate) fn with_file(arguments: Vec<OsString>) -> Result<Vec<OsString>, Failure> {
    let Some(path) = path(&arguments) else { return Ok(arguments) };
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("cannot read {}", path.display()))
        .map_err(Failure::usage)?;
    let environment = |name: &OsStr| std::env::var_os(name).is_some();
    merge(&arguments, &text, environment)
        .with_context(|| format!("in {}", path.display()))
        .map_err(Failure::usage)
}

/// The file that `--config` or the environment names.
fn path(arguments: &[OsString]) -> Option<PathBuf> {
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if argument == "--config" {
            return rest.next().map(PathBuf::from);
        }
        if let Some(path) = argument.to_str().and_then(|text| text.strip_prefix("--config=")) {
            return Some(Path::new(path).to_owned());
        }
    }
    std::env::var_os("MCPULSE_CONFIG").filter(|path| !path.is_empty()).map(PathBuf::from)
}

fn merge(
    arguments: &[OsString],
    text: &str,
    in_environment: impl Fn(&OsStr) -> bool,
) -> anyhow::Result<Vec<OsString>> {
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| anyhow!("{}", error.message()))?;
    let root = Cli::command();
    let settings = settings(&root);
    if let Some(unknown) =
        table.keys().find(|key| !settings.iter().any(|(_, arg)| arg.get_id() == key.as_str()))
    {
        return Err(anyhow!("{unknown} is not a setting"));
    }
    // Globals fit anywhere; the others belong to `serve`, and no other command reads them.
    let serve = arguments.iter().position(|argument| argument == "serve");
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for (global, arg) in settings {
        let Some(value) = table.get(arg.get_id().as_str()) else { continue };
        let typed = arg.get_long().is_some_and(|long| arguments.iter().any(|one| is_flag(one, long)));
        if typed || arg.get_env().is_some_and(&in_environment) {
            continue;
        }
        let flags = if global { &mut before } else { &mut after };
        flags.extend(as_flags(arg, value)?);
    }
    let split = serve.map_or(1, |serve| serve + 1).min(arguments.len());
    let (head, tail) = arguments.split_at(split);
    let after = if serve.is_some() { after } else { Vec::new() };
    Ok(head.iter().cloned().chain(before).chain(after).chain(tail.iter().cloned()).collect())
}

/// Everything that can be set: what every command takes, and what `serve` takes. Not `config` itself.
pub(crate) fn settings(root: &Command) -> Vec<(bool, &Arg)> {
    let globals = root.get_arguments().map(|arg| (true, arg));
    let serve = root.find_subcommand("serve").into_iter().flat_map(Command::get_arguments);
    // Once clap has built the command, what every command takes is in each of them too.
    let serve = serve.filter(|arg| !arg.is_global_set());
    globals.chain(serve.map(|arg| (false, arg))).filter(|(_, arg)| is_setting(arg)).collect()
}

fn is_setting(arg: &Arg) -> bool {
    arg.get_env().is_some() && arg.get_id() != "config"
}

fn is_flag(argument: &OsStr, long: &str) -> bool {
    let name = argument.to_str().and_then(|text| text.strip_prefix("--"));
    name.is_some_and(|name| name.split('=').next() == Some(long))
}

fn as_flags(arg: &Arg, value: &Value) -> anyhow::Result<Vec<OsString>> {
    let (key, long) = (arg.get_id(), arg.get_long().unwrap_or_default());
    let text = |value: &Value| match value {
        Value::String(text) => Ok(text.clone()),
        Value::Integer(number) => Ok(number.to_string()),
        _ => Err(anyhow!("{key} must be a string or a whole number")),
    };
    let values = match (value, arg.get_action()) {
        (Value::Array(values), ArgAction::Append) => values.iter().map(text).collect::<Result<_, _>>()?,
        (Value::Array(_), _) => return Err(anyhow!("{key} must be one value")),
        (value, _) => vec![text(value)?],
    };
    Ok(values.into_iter().map(|value| OsString::from(format!("--{long}={value}"))).collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
mod tests {
    use super::*;

    fn merged(arguments: &[&str], text: &str, environment: &[&str]) -> anyhow::Result<Vec<String>> {
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        let in_environment = |name: &OsStr| environment.iter().any(|one| OsStr::new(one) == name);
        let all = merge(&arguments, text, in_environment)?;
        Ok(all.into_iter().map(|one| one.into_string().unwrap()).collect())
    }

    #[test]
    fn flags_come_before_the_environment_and_that_before_the_file() {
        let text =
            "listen = \"127.0.0.1:1\"\nmax_requests = 5\ndata = \"/d\"\nallowed_hosts = [\"a\", \"b\"]";
        assert_eq!(
            merged(&["mcpulse", "serve", "--listen", "127.0.0.1:2"], text, &["MCPULSE_MAX_REQUESTS"])
                .unwrap(),
            [
                "mcpulse",
                "serve",
                "--data=/d",
                "--allowed-hosts=a",
                "--allowed-hosts=b",
                "--listen",
                "127.0.0.1:2"
            ]
        );
    }

    #[test]
    fn other_commands_read_only_what_they_know() {
        let text = "max_requests = 5\ndata = \"/d\"";
        assert_eq!(
            merged(&["mcpulse", "servers", "list"], text, &[]).unwrap(),
            ["mcpulse", "--data=/d", "servers", "list"]
        );
    }

    #[test]
    fn what_is_no_setting_is_an_error_that_names_it() {
        for (text, message) in [
            ("listem = \"x\"", "listem is not a setting"),
            ("config = \"x\"", "config is not a setting"),
            ("listen = [\"x\"]", "listen must be one value"),
            ("max_requests = 1.5", "max_requests must be a string or a whole number"),
        ] {
            let error = merged(&["mcpulse", "serve"], text, &[]).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }

    #[test]
    fn flag_variable_and_key_have_one_name() {
        let root = Cli::command();
        for (_, arg) in settings(&root) {
            let key = arg.get_id().as_str();
            assert_eq!(arg.get_long().unwrap(), key.replace('_', "-"));
            assert_eq!(arg.get_env().unwrap(), OsStr::new(&format!("MCPULSE_{}", key.to_uppercase())));
        }
    }
}

//! `Stop`, `SubagentStart`, `SubagentStop`.

use agent_loop::guide::Part::{Block, Field as F};
use agent_loop::{Ending, Scene};
use hook_runner::HookSet;
use hook_types::Field::{AdditionalContext, Continue, SystemMessage};
use hook_types::{Event, EventName, Stop, SubagentStart, SubagentStop};

use crate::honoured;
use crate::set_up::{delegate, on, only_the_user_is_told, provoke};
use crate::support::{all_words, stage, words};

honoured! {
    Stop as stop {
        the_model_is_asked_again: Block => async {
            let hooks = on(|stop: Stop| {
                if stop.stop_hook_active { Stop::pass() } else { Stop::keep_going("run the tests") }
            });
            let stage = stage([Scene::say("done"), Scene::say("tested")], hooks);
            let result = stage.agent.run("go").await;
            assert!(words(stage.requests()[1].messages.last().unwrap()).contains("run the tests"));
            assert_eq!(result.text, "tested");
        };
        context_keeps_it_going_too: F(AdditionalContext) => async {
            let hooks = on(|stop: Stop| {
                if stop.stop_hook_active { Stop::pass() } else { Stop::context("the build is red") }
            });
            let stage = stage([Scene::say("done"), Scene::say("green")], hooks);
            stage.agent.run("go").await;
            assert!(words(stage.requests()[1].messages.last().unwrap()).contains("the build is red"));
        };
        a_stop_beats_a_wish_to_go_on: F(Continue) => async {
            let hooks = HookSet::builder()
                .on("", |_: Stop| Stop::keep_going("more"))
                .on("", |_: Stop| Stop::stop_agent("enough"))
                .parallel()
                .build()
                .unwrap();
            let stage = stage([Scene::say("done"), Scene::say("never")], hooks);
            let result = stage.agent.run("go").await;
            assert_eq!(stage.requests().len(), 1);
            assert_eq!(result.ending, Ending::Halted("enough".into()));
        };
        the_user_is_told: F(SystemMessage) => only_the_user_is_told::<Stop>();
    }
    SubagentStart as subagent_start {
        context_stands_in_its_system_prompt: F(AdditionalContext) => async {
            let hooks = on(|_: SubagentStart| SubagentStart::context("you are in a hurry"));
            let play = provoke(EventName::SubagentStart, hooks).await;
            let requests = play.stage.requests();
            let hurried: Vec<bool> = requests.iter().map(|r| r.system.contains("in a hurry")).collect();
            assert_eq!(hurried, [false, true, false, false], "the subagent alone");
            assert_eq!(all_words(&requests[1]), "look around");
        };
        it_does_not_run: F(Continue) => async {
            let hooks = on(|_: SubagentStart| SubagentStart::stop_agent("no helpers"));
            let stage = stage([delegate(), Scene::say("alone, then")], hooks);
            let result = stage.agent.run("go").await;
            assert_eq!(result.text, "alone, then");
            assert_eq!(stage.requests().len(), 2);
            assert!(stage.last().contains("no helpers"));
        };
        the_user_is_told: F(SystemMessage) => only_the_user_is_told::<SubagentStart>();
    }
    SubagentStop as subagent_stop {
        its_model_is_asked_again: Block => async {
            let hooks = on(|stop: SubagentStop| {
                assert_eq!(stop.agent_type, "general-purpose");
                if stop.stop_hook_active { SubagentStop::pass() } else { SubagentStop::keep_going("look again") }
            });
            let scenes = [delegate(), Scene::say("looked"), Scene::say("looked twice"), Scene::say("ok")];
            let stage = stage(scenes, hooks);
            stage.agent.run("go").await;
            assert!(all_words(&stage.requests()[2]).contains("look again"));
            assert!(words(stage.requests()[3].messages.last().unwrap()).contains("looked twice"));
        };
        context_keeps_it_going_too: F(AdditionalContext) => async {
            let hooks = on(|stop: SubagentStop| {
                if stop.stop_hook_active { SubagentStop::pass() } else { SubagentStop::context("there is a cellar") }
            });
            let scenes = [delegate(), Scene::say("looked"), Scene::say("in the cellar too"), Scene::say("ok")];
            let stage = stage(scenes, hooks);
            stage.agent.run("go").await;
            assert!(all_words(&stage.requests()[2]).contains("there is a cellar"));
        };
        it_stops_and_its_parent_goes_on: F(Continue) => async {
            let hooks = HookSet::builder()
                .on("", |_: SubagentStop| SubagentStop::keep_going("more"))
                .on("", |_: SubagentStop| SubagentStop::stop_agent("enough"))
                .parallel()
                .build()
                .unwrap();
            let stage = stage([delegate(), Scene::say("looked"), Scene::say("ok")], hooks);
            let result = stage.agent.run("go").await;
            assert_eq!(result.text, "ok");
            assert!(words(stage.requests()[2].messages.last().unwrap()).contains("looked"));
        };
        the_user_is_told: F(SystemMessage) => only_the_user_is_told::<SubagentStop>();
    }
}

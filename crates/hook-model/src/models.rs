//! Who finds the model that a hook names.

use std::sync::Arc;

use agent_loop::Model;

/// Finds models. Asked at each firing, and only then: a hook that names a model which is not there is
/// listed and explained like any other, and fails when it is to ask.
///
/// A closure is one:
///
/// ```
/// use std::sync::Arc;
/// use agent_loop::{Model, Scene, Scripted};
/// use hook_model::Models;
///
/// let small: Arc<dyn Model> = Arc::new(Scripted::new([Scene::say(r#"{"ok": true}"#)]));
/// let models = move |name: Option<&str>| match name {
///     None => Ok(Arc::clone(&small)),
///     Some(name) => Err(format!("there is no model `{name}` here")),
/// };
/// assert!(models.model(None).is_ok());
/// assert_eq!(models.model(Some("opus")).err().unwrap(), "there is no model `opus` here");
/// ```
pub trait Models: Send + Sync + 'static {
    /// The model of that name; without a name, the one for work in the background. Else why there is
    /// none, in a sentence for whoever wrote the hook.
    fn model(&self, name: Option<&str>) -> Result<Arc<dyn Model>, String>;
}

impl<F> Models for F
where
    F: Fn(Option<&str>) -> Result<Arc<dyn Model>, String> + Send + Sync + 'static,
{
    fn model(&self, name: Option<&str>) -> Result<Arc<dyn Model>, String> {
        self(name)
    }
}

/// One model, whatever a hook names: what [`one_model`] makes.
#[derive(Clone)]
pub struct OneModel(Arc<dyn Model>);

/// One model for all hooks, whatever they name.
pub fn one_model(model: impl Model) -> OneModel {
    OneModel(Arc::new(model))
}

impl From<Arc<dyn Model>> for OneModel {
    fn from(model: Arc<dyn Model>) -> Self {
        Self(model)
    }
}

impl Models for OneModel {
    fn model(&self, _: Option<&str>) -> Result<Arc<dyn Model>, String> {
        Ok(Arc::clone(&self.0))
    }
}

impl std::fmt::Debug for OneModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("OneModel").field(&self.0.name()).finish()
    }
}

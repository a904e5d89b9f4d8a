//! JSON Schemas of inputs and answers.

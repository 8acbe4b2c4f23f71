"""What crosses between the grader and a submission's process: values, messages, frames. No pickle."""

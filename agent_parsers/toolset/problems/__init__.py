"""Problems with tool calls: unknown names, and inputs that do not fit."""

// SPDX-License-Identifier: Apache-2.0

/// The method of a request that reads a resource.
public enum RequestMethod: String, Sendable, Hashable, CaseIterable {
    /// GET.
    case get = "GET"
    /// POST, for searches with a body.
    case post = "POST"
}

/// A parameter of a query or form.
public struct ParameterDefinition: Sendable, Equatable {
    /// The name.
    public var name: String
    /// The value.
    public var value: Template

    /// Creates a parameter.
    public init(_ name: String, _ value: Template) {
        self.name = name
        self.value = value
    }
}

/// The body of a request.
public enum BodyDefinition: Sendable, Equatable {
    /// A JSON document.
    case json(TemplateValue)
    /// A form (`application/x-www-form-urlencoded`).
    case form([ParameterDefinition])
}

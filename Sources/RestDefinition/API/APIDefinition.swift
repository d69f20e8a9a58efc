// SPDX-License-Identifier: Apache-2.0

/// A definition of an API: its base URL and what all its resources share.
public struct APIDefinition: Sendable, Equatable {
    /// The base URL, to which the paths of resources are relative.
    public var base: String
    /// The header fields of every request.
    public var headers: [HeaderDefinition]
    /// The parameters of every request, before those of the resource.
    public var parameters: [ParameterDefinition]
    /// The format of responses whose resource declares none.
    public var format: ResponseFormat
    /// The credentials of every request.
    public var authentication: AuthenticationDefinition
    /// The limits of the number and the rate of requests.
    public var budget: BudgetDefinition
    /// The rules for responses, after those of the resource; the first rule that applies decides.
    public var responses: [ResponseRule]
    /// The pagination of resources that declare none; `nil` to find it in the responses.
    public var pagination: PaginationDefinition?

    /// Creates a definition of an API.
    public init(
        base: String, headers: [HeaderDefinition] = [], parameters: [ParameterDefinition] = [],
        format: ResponseFormat = .json, authentication: AuthenticationDefinition = .none,
        budget: BudgetDefinition = BudgetDefinition(), responses: [ResponseRule] = [],
        pagination: PaginationDefinition? = nil
    ) {
        self.base = base
        self.headers = headers
        self.parameters = parameters
        self.format = format
        self.authentication = authentication
        self.budget = budget
        self.responses = responses
        self.pagination = pagination
    }
}

/// The format of the bodies of responses.
public struct ResponseFormat: Sendable, Hashable {
    /// The syntax of a body.
    public enum Syntax: String, Sendable, Hashable, CaseIterable {
        /// A JSON document.
        case json
        /// A JSON document on each line.
        case jsonLines = "json_lines"
        /// A table with the names of its columns in the first line; every value is text.
        case csv
        /// An XML document.
        case xml
    }

    /// The syntax.
    public var syntax: Syntax
    /// A Boolean value that indicates whether the body is a file that is compressed with gzip.
    ///
    /// The transport decodes the content coding gzip without a declaration.
    public var isCompressed: Bool

    /// A JSON document.
    public static let json = ResponseFormat(.json)

    /// Creates a format.
    public init(_ syntax: Syntax, isCompressed: Bool = false) {
        self.syntax = syntax
        self.isCompressed = isCompressed
    }
}

/// A header field of requests.
public struct HeaderDefinition: Sendable, Equatable {
    /// The value of a header field.
    public enum Value: Sendable, Equatable {
        /// The text, which may refer to parents.
        case text(Template)
        /// The content of a secret.
        case secret(Secret)
    }

    /// The name of the field.
    public var name: String
    /// The value of the field.
    public var value: Value

    /// Creates a header field.
    public init(_ name: String, _ value: Value) {
        self.name = name
        self.value = value
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A definition of a resource: a list of records, or one record, and the requests that read it.
public struct ResourceDefinition: Sendable, Equatable {
    /// The name of the resource, which placeholders and rows about its state use.
    public var name: String
    /// The path, relative to the base URL of the API, or an absolute URL.
    public var path: Template
    /// The method of the requests.
    public var method: RequestMethod
    /// The parameters of the query, after those of the API.
    public var parameters: [ParameterDefinition]
    /// The header fields, after those of the API.
    public var headers: [HeaderDefinition]
    /// The body of the requests.
    public var body: BodyDefinition?
    /// The parents; for each combination of their records the resource is read once.
    public var parents: [ParentDefinition]
    /// The pagination; `nil` for that of the API.
    public var pagination: PaginationDefinition?
    /// The format of responses; `nil` for that of the API.
    public var format: ResponseFormat?
    /// The location and the selection of the records in a response.
    public var records: RecordsDefinition
    /// The rule for reading only changed records; `nil` to read all.
    public var cursor: CursorDefinition?
    /// The rule for removing rows.
    public var deletion: DeletionDefinition
    /// The rules for responses, before those of the API.
    public var responses: [ResponseRule]
    /// The entity of the records.
    public var entity: EntitySelection

    /// Creates a definition of a resource.
    public init(
        name: String, path: Template, method: RequestMethod = .get,
        parameters: [ParameterDefinition] = [], headers: [HeaderDefinition] = [],
        body: BodyDefinition? = nil, parents: [ParentDefinition] = [],
        pagination: PaginationDefinition? = nil, format: ResponseFormat? = nil,
        records: RecordsDefinition = RecordsDefinition(), cursor: CursorDefinition? = nil,
        deletion: DeletionDefinition = .none, responses: [ResponseRule] = [],
        entity: EntitySelection
    ) {
        self.name = name
        self.path = path
        self.method = method
        self.parameters = parameters
        self.headers = headers
        self.body = body
        self.parents = parents
        self.pagination = pagination
        self.format = format
        self.records = records
        self.cursor = cursor
        self.deletion = deletion
        self.responses = responses
        self.entity = entity
    }
}

/// The entity of records: one for all, or one for each value of a member.
public enum EntitySelection: Sendable, Equatable {
    /// The name of the entity of all records.
    case one(String)
    /// The names of entities by the value at a path; records with other values are unknown values of the
    /// schema.
    case byValue(TypedSelection)

    /// The names of all entities that records can have.
    public var names: [String] {
        switch self {
        case .one(let name): [name]
        case .byValue(let selection): selection.cases.map(\.entity)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A definition of an API and of the database that mirrors it.
///
/// A definition is a file in YAML or JSON:
///
/// ```yaml
/// version: 1
/// api:
///   base: https://api.github.com/
///   auth: {bearer: $GITHUB_TOKEN}
/// resources:
///   repositories:
///     path: orgs/swiftlang/repos
///     pagination: header_link
///     entity: Repository
/// entities:
///   Repository:
///     identity: id
///     relations:
///       owner: User
/// ```
public struct Definition: Sendable, Equatable {
    /// The version of the format of definitions that this library reads and writes.
    public static let formatVersion = 1

    /// The version of the file's format.
    public var version: Int
    /// The API: its base URL and what all its resources share.
    public var api: APIDefinition
    /// The resources in the order of the file, with distinct names.
    public var resources: [ResourceDefinition]
    /// The entities in the order of the file, with distinct names.
    public var entities: [EntityDefinition]
    /// The treatment of values that the definition does not describe.
    public var schema: SchemaPolicy

    /// Creates a definition.
    public init(
        version: Int = Definition.formatVersion, api: APIDefinition,
        resources: [ResourceDefinition] = [], entities: [EntityDefinition] = [],
        schema: SchemaPolicy = SchemaPolicy()
    ) {
        self.version = version
        self.api = api
        self.resources = resources
        self.entities = entities
        self.schema = schema
    }

    /// Returns the resource with a name.
    public func resource(named name: String) -> ResourceDefinition? {
        resources.first { $0.name == name }
    }

    /// Returns the entity with a name.
    public func entity(named name: String) -> EntityDefinition? {
        entities.first { $0.name == name }
    }
}

// SPDX-License-Identifier: Apache-2.0

public import RestDocument
public import RestMapping
public import RestTransport

/// A mapping and the responses that it applies to, by method, path, key path and status codes.
///
/// ```swift
/// try api.add(ResponseDescriptor(Article.self, at: "articles/:id", keyPath: "article"))
/// try api.add(ResponseDescriptor(APIError.self, statusCodes: .error))
/// ```
///
/// Creating a descriptor compiles its path pattern and its mapping. A descriptor with
/// ``diagnostics`` is invalid: it matches no response, and adding it to an ``ObjectManager`` throws.
///
/// To map the error responses of a server, describe them with a type that conforms to `Error`. Its
/// objects are the ``NetworkingError/mappedErrors``.
///
/// Some servers report errors with a status of success, in place of the data or beside them. A
/// descriptor of errors that names such a status makes a response an error if there is a value at its
/// key path other than null, `false`, 0, empty text and an empty container:
///
/// ```swift
/// try api.add(
///     ResponseDescriptor(ErrorMessage.self, at: "graphql", keyPath: "errors", statusCodes: 200),
///     ResponseDescriptor(ErrorMessage.self, keyPath: "error", statusCodes: .successful))   // Slack
/// ```
///
/// A request for a ``/RestMapping/MappingResult`` returns such errors beside the other objects instead.
public struct ResponseDescriptor: Sendable {
    /// The mapping of the representation.
    public var mapping: any MappingConvertible { definition.mapping }

    /// The request methods.
    public var methods: MethodSet { definition.methods }

    /// The text of the path pattern, relative to the base URL; `nil` for all paths.
    public var path: String? { definition.path }

    /// The location of the representation in the document; the root for the whole document.
    public var keyPath: DocumentPath { location }

    // Variable, so that a request can name another location; not writable through key paths.
    private var location: DocumentPath

    /// The status codes; `nil` for all status codes.
    public var statusCodes: StatusCodeSet? { definition.statusCodes }

    /// The base URL of the path; `nil` for the base URL of the object manager.
    ///
    /// Responses from URLs that are not below the base URL do not match.
    public var baseURL: HTTPURL?

    /// A Boolean value that indicates whether the descriptor applies a type's own mapping, without
    /// having been added to a manager.
    var isDefault = false

    /// A Boolean value that indicates whether every descriptor for the response applies, of whatever type, if
    /// one of them is for the type of this one.
    package var admitsOtherTypes = false

    /// The descriptors for the type of this default descriptor, which are for other paths.
    var otherDescriptors: [ResponseDescriptor] = []

    /// See ``ExpectedMapping/element``.
    var element: ObjectIdentifier?

    private let definition: Definition

    /// The part of a descriptor that does not change, which its copies share.
    private final class Definition: Sendable {
        let mapping: any MappingConvertible
        let methods: MethodSet
        let path: String?
        let statusCodes: StatusCodeSet?
        let tables: [PropertyTable]
        let plan: MappingPlan?
        let pathPattern: PathPattern?
        let diagnostics: [String]

        init(
            _ convertible: any MappingConvertible, _ methods: MethodSet, _ path: String?,
            _ statusCodes: StatusCodeSet?
        ) {
            mapping = convertible
            self.methods = methods
            self.path = path
            self.statusCodes = statusCodes
            let mapping = convertible.mapping
            tables = mapping.tables
            var diagnostics: [String] = []
            var pattern: PathPattern?
            var plan: MappingPlan?
            do throws(NetworkingError) {
                pattern = try path.map { text throws(NetworkingError) in try PathPattern(text) }
            } catch {
                diagnostics += error.causes
            }
            if let path {
                diagnostics += PathPattern.diagnostics(ofIdentitiesIn: path, of: tables)
            }
            do throws(MappingError) {
                plan = try MappingCompiler().compile(mapping)
            } catch {
                diagnostics += error.diagnostics.map(\.description)
            }
            let isValid = diagnostics.isEmpty
            self.plan = isValid ? plan : nil
            pathPattern = isValid ? pattern : nil
            self.diagnostics = diagnostics
        }
    }

    /// Creates a descriptor with the default mapping of a type.
    ///
    /// - Parameters:
    ///   - type: A mapped type or an entity.
    ///   - path: A path pattern relative to the base URL; `nil` for all paths.
    ///   - methods: The request methods.
    ///   - keyPath: The location of the representation. Null there is an empty list.
    ///   - statusCodes: The status codes; `nil` for all status codes.
    public init<Subject: MappingSubject>(
        _ type: Subject.Type, at path: String? = nil, methods: MethodSet = .any,
        keyPath: DocumentPath = .root, statusCodes: StatusCodeSet? = .successful
    ) {
        self.init(
            ObjectMapping(for: type), at: path, methods: methods, keyPath: keyPath,
            statusCodes: statusCodes)
    }

    /// Creates a descriptor with a mapping of any kind.
    ///
    /// - Parameters:
    ///   - mapping: An object mapping, a dynamic mapping, or the mapping of a `Codable` type.
    ///   - path: A path pattern relative to the base URL; `nil` for all paths.
    ///   - methods: The request methods.
    ///   - keyPath: The location of the representation. Null there is an empty list.
    ///   - statusCodes: The status codes; `nil` for all status codes.
    public init(
        _ mapping: some MappingConvertible, at path: String? = nil,
        methods: MethodSet = .any, keyPath: DocumentPath = .root,
        statusCodes: StatusCodeSet? = .successful
    ) {
        location = keyPath
        definition = Definition(mapping, methods, path, statusCodes)
    }

    /// The errors in the path pattern and in the mapping; empty for a valid descriptor.
    public var diagnostics: [String] { definition.diagnostics }

    /// The compiled path pattern; `nil` for all paths and for an invalid descriptor.
    public var pathPattern: PathPattern? { definition.pathPattern }

    /// The compiled mapping; `nil` for an invalid descriptor.
    public var plan: MappingPlan? { definition.plan }

    /// The types or entities of the objects, except for those that a dynamic mapping does not
    /// declare.
    var tables: [PropertyTable] { definition.tables }

    /// A Boolean value that indicates whether the objects are errors in responses of success.
    var describesErrorsOfSuccess: Bool {
        statusCodes?.overlaps(.successful) == true && !tables.isEmpty
            && tables.allSatisfy(\.isError)
    }

    /// Returns a Boolean value that indicates whether this descriptor may describe all the objects
    /// that another one describes.
    func describesObjects(of other: ResponseDescriptor) -> Bool {
        let tables = tables
        if let element = other.element, tables.contains(where: { $0.swiftType == element }) {
            return true
        }
        return tables.isEmpty
            || other.tables.allSatisfy { table in tables.contains { table.holds($0) } }
    }

    /// Returns the descriptor with another key path.
    func at(_ keyPath: DocumentPath) -> ResponseDescriptor {
        var descriptor = self
        descriptor.location = keyPath
        return descriptor
    }
}

extension ResponseDescriptor: Equatable {
    /// Returns a Boolean value that indicates whether two descriptors map the same responses in the
    /// same way.
    ///
    /// Functions in mappings cannot be compared. Transforms count as equal if their names are equal.
    public static func == (left: ResponseDescriptor, right: ResponseDescriptor) -> Bool {
        left.methods == right.methods && left.path == right.path && left.keyPath == right.keyPath
            && left.statusCodes == right.statusCodes && left.baseURL == right.baseURL
            && left.mapping.mapping.isEquivalent(to: right.mapping.mapping)
    }
}

extension ResponseDescriptor: CustomStringConvertible {
    /// The type, methods, path, key path and status codes, for logs and errors.
    public var description: String {
        var text = mapping.mapping.name
        if !methods.isAny { text += " for \(methods)" }
        if let path { text += " at \"\(path)\"" }
        if !keyPath.components.isEmpty { text += " in \"\(keyPath)\"" }
        if let statusCodes { text += " with status \(statusCodes)" }
        return text
    }
}

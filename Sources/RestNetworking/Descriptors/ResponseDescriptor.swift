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
public struct ResponseDescriptor: Sendable {
    /// The mapping of the representation.
    public let mapping: any MappingConvertible

    /// The request methods.
    public let methods: MethodSet

    /// The text of the path pattern, relative to the base URL; `nil` for all paths.
    public let path: String?

    /// The location of the representation in the document; the root for the whole document.
    public var keyPath: DocumentPath { location }

    // Variable, so that a request can name another location; not writable through key paths.
    private var location: DocumentPath

    /// The status codes; `nil` for all status codes.
    public let statusCodes: StatusCodeSet?

    /// The base URL of the path; `nil` for the base URL of the object manager.
    ///
    /// Responses from URLs that are not below the base URL do not match.
    public var baseURL: HTTPURL?

    /// A Boolean value that indicates whether the descriptor applies a type's own mapping, without
    /// having been added to a manager.
    var isDefault = false

    /// See ``ExpectedMapping/element``.
    var element: ObjectIdentifier?

    let compilation: Compilation

    enum Compilation: Sendable {
        case valid(MappingPlan, PathPattern?)
        case invalid(diagnostics: [String])
    }

    /// Creates a descriptor with the default mapping of a type.
    ///
    /// - Parameters:
    ///   - type: A mapped type or an entity.
    ///   - path: A path pattern relative to the base URL; `nil` for all paths.
    ///   - methods: The request methods.
    ///   - keyPath: The location of the representation. Null there counts as absent.
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
    ///   - keyPath: The location of the representation. Null there counts as absent.
    ///   - statusCodes: The status codes; `nil` for all status codes.
    public init(
        _ mapping: some MappingConvertible, at path: String? = nil,
        methods: MethodSet = .any, keyPath: DocumentPath = .root,
        statusCodes: StatusCodeSet? = .successful
    ) {
        self.mapping = mapping
        self.methods = methods
        self.path = path
        location = keyPath
        self.statusCodes = statusCodes
        compilation = Self.compile(mapping.mapping, path)
    }

    private static func compile(_ mapping: Mapping, _ path: String?) -> Compilation {
        var diagnostics: [String] = []
        var pattern: PathPattern?
        var plan: MappingPlan?
        do throws(NetworkingError) {
            pattern = try path.map { text throws(NetworkingError) in try PathPattern(text) }
        } catch {
            diagnostics += error.causes
        }
        do throws(MappingError) {
            plan = try MappingCompiler().compile(mapping)
        } catch {
            diagnostics += error.diagnostics.map(\.description)
        }
        guard let plan, diagnostics.isEmpty else { return .invalid(diagnostics: diagnostics) }
        return .valid(plan, pattern)
    }

    /// The errors in the path pattern and in the mapping; empty for a valid descriptor.
    public var diagnostics: [String] {
        switch compilation {
        case .valid: []
        case .invalid(let diagnostics): diagnostics
        }
    }

    /// The compiled path pattern; `nil` for all paths and for an invalid descriptor.
    public var pathPattern: PathPattern? {
        switch compilation {
        case .valid(_, let pattern): pattern
        case .invalid: nil
        }
    }

    /// The compiled mapping; `nil` for an invalid descriptor.
    public var plan: MappingPlan? {
        switch compilation {
        case .valid(let plan, _): plan
        case .invalid: nil
        }
    }

    /// Returns a Boolean value that indicates whether this descriptor may describe all the objects
    /// that another one describes.
    func describesObjects(of other: ResponseDescriptor) -> Bool {
        if let element = other.element,
            mapping.mapping.tables.contains(where: { $0.swiftType == element })
        {
            return true
        }
        return other.mapping.mapping.tables.allSatisfy { mapping.mapping.mayCreate($0) }
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

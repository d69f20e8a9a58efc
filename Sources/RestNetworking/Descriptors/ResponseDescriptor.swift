// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import RestDocument
public import RestMapping
public import RestTransport

/// Says which responses carry what: a mapping, and the method, path, place in the document and
/// statuses it is for.
///
/// ```swift
/// try api.add(ResponseDescriptor(Article.self, at: "articles/:id", keyPath: "article"))
/// try api.add(ResponseDescriptor(Refusal.self, statusCodes: .error))
/// ```
///
/// Pattern and mapping are compiled when the descriptor is made. A descriptor with mistakes matches
/// nothing and is refused when it is added to an ``ObjectManager``.
///
/// An error of the server is described by a type that is an `Error`; its objects are then the
/// ``NetworkingError/mappedErrors``.
public struct ResponseDescriptor: Sendable {
    /// How the representation becomes objects.
    public let mapping: any ResponseMapping

    /// The request methods, `nil` for all.
    public let methods: Set<HTTPRequest.Method>?

    /// The pattern of the path relative to the base URL, as it was given; `nil` for all paths.
    public let path: String?

    /// Where the representation is in the document; the root for the whole document.
    public let keyPath: DocumentPath

    /// The statuses of the response, `nil` for all.
    public let statusCodes: StatusCodeSet?

    /// Where the path starts and what the response must be under; `nil` for the manager's own.
    public var baseURL: HTTPURL?

    let compilation: Compilation

    enum Compilation: Sendable {
        case valid(MappingPlan, PathPattern?)
        case invalid([String])
    }

    /// Describes responses by a type's own mapping.
    ///
    /// - Parameters:
    ///   - type: A mapped type or an entity.
    ///   - path: A path pattern relative to the base URL; `nil` for all paths.
    ///   - methods: The request methods; `nil` for all.
    ///   - keyPath: Where the representation is; a null there counts as absent.
    ///   - statusCodes: The statuses; `nil` for all.
    public init<Subject: MappingSubject>(
        _ type: Subject.Type, at path: String? = nil, methods: Set<HTTPRequest.Method>? = nil,
        keyPath: DocumentPath = .root, statusCodes: StatusCodeSet? = .successful
    ) {
        self.init(
            ObjectMapping(for: type), at: path, methods: methods, keyPath: keyPath,
            statusCodes: statusCodes)
    }

    /// Describes responses by a mapping: one for all representations, one that they decide about, or
    /// that of a `Codable` type.
    ///
    /// - Parameters:
    ///   - mapping: How the representation becomes objects.
    ///   - path: A path pattern relative to the base URL; `nil` for all paths.
    ///   - methods: The request methods; `nil` for all.
    ///   - keyPath: Where the representation is; a null there counts as absent.
    ///   - statusCodes: The statuses; `nil` for all.
    public init(
        _ mapping: some ResponseMapping, at path: String? = nil,
        methods: Set<HTTPRequest.Method>? = nil, keyPath: DocumentPath = .root,
        statusCodes: StatusCodeSet? = .successful
    ) {
        self.mapping = mapping
        self.methods = methods
        self.path = path
        self.keyPath = keyPath
        self.statusCodes = statusCodes
        compilation = Self.compile(mapping.mapping, path)
    }

    private static func compile(_ mapping: Mapping, _ path: String?) -> Compilation {
        var mistakes: [String] = []
        var pattern: PathPattern?
        var plan: MappingPlan?
        do throws(NetworkingError) {
            pattern = try path.map { text throws(NetworkingError) in try PathPattern(text) }
        } catch {
            mistakes += error.causes
        }
        do throws(MappingError) {
            plan = try MappingCompiler().compile(mapping)
        } catch {
            mistakes += error.diagnostics.map(\.description)
        }
        guard let plan, mistakes.isEmpty else { return .invalid(mistakes) }
        return .valid(plan, pattern)
    }

    /// The mistakes of pattern and mapping; none for a descriptor that can be added.
    public var mistakes: [String] {
        switch compilation {
        case .valid: []
        case .invalid(let mistakes): mistakes
        }
    }

    /// The compiled path pattern.
    public var pathPattern: PathPattern? {
        switch compilation {
        case .valid(_, let pattern): pattern
        case .invalid: nil
        }
    }

    /// The compiled mapping; `nil` if the descriptor has mistakes.
    public var plan: MappingPlan? {
        switch compilation {
        case .valid(let plan, _): plan
        case .invalid: nil
        }
    }

    /// Whether what this describes may be the objects that another one describes.
    func describesSubject(of other: ResponseDescriptor) -> Bool {
        other.mapping.mapping.tables.allSatisfy { mapping.mapping.mayMake($0) }
    }
}

extension ResponseDescriptor: Equatable {
    /// Whether both describe the same responses in the same way.
    ///
    /// Mappings are compared by what they compile to; where that passes through functions, such as
    /// transforms, by the names of these.
    public static func == (left: ResponseDescriptor, right: ResponseDescriptor) -> Bool {
        left.methods == right.methods && left.path == right.path && left.keyPath == right.keyPath
            && left.statusCodes == right.statusCodes && left.baseURL == right.baseURL
            && left.describesSubject(of: right) && right.describesSubject(of: left)
            && left.mistakes == right.mistakes
            && left.plan?.description == right.plan?.description
    }
}

extension ResponseDescriptor: CustomStringConvertible {
    /// Type, methods, path, key path and statuses, for logs and errors.
    public var description: String {
        var text = mapping.mapping.name
        if let methods {
            text += " for " + methods.map(\.rawValue).sorted().joined(separator: ", ")
        }
        if let path { text += " at \"\(path)\"" }
        if !keyPath.components.isEmpty { text += " in \"\(keyPath)\"" }
        if let statusCodes { text += " with status \(statusCodes)" }
        return text
    }
}

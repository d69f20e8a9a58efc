// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import RestMapping

/// A mapping of objects to the bodies of requests, by the type of the objects and the method.
///
/// ```swift
/// try api.add(RequestDescriptor(articleMapping, methods: [.post], rootKey: "article"))
/// ```
///
/// A type without a request descriptor is sent by its own mapping. If an object matches several
/// descriptors, those of its own type come before those of a superclass; among these, those for
/// exactly the method before those for several or all methods; among these, the first one added.
///
/// Creating a descriptor compiles its mapping. A descriptor with ``diagnostics`` is invalid, and
/// adding it to an ``ObjectManager`` throws.
public struct RequestDescriptor: Sendable {
    /// The mapping of the objects.
    public let mapping: AnyRequestMapping

    /// The request methods.
    ///
    /// Only PATCH, POST and PUT requests send objects.
    public let methods: MethodSet

    /// The key of the only member of an object that wraps the representation; `nil` to send the
    /// representation itself.
    ///
    /// The text is one key, whatever characters it contains.
    public let rootKey: String?

    /// The plans of one object and of an element of a list.
    struct Plans: Sendable {
        let object: RequestPlan
        let element: RequestPlan
    }

    private enum Compilation: Sendable {
        case valid(Plans)
        case invalid(diagnostics: [String])
    }

    private let compilation: Compilation

    /// Creates a descriptor with the default request mapping of a type.
    ///
    /// - Parameters:
    ///   - type: A mapped type or an entity.
    ///   - methods: The request methods.
    ///   - rootKey: The key that wraps the representation.
    public init<Subject: MappingSubject>(
        _ type: Subject.Type, methods: MethodSet = .any, rootKey: String? = nil
    ) {
        self.init(RequestMapping(for: type), methods: methods, rootKey: rootKey)
    }

    /// Creates a descriptor with a request mapping.
    ///
    /// - Parameters:
    ///   - mapping: A request mapping, or one that is chosen for each object.
    ///   - methods: The request methods.
    ///   - rootKey: The key that wraps the representation.
    public init(
        _ mapping: some RequestMappingConvertible, methods: MethodSet = .any,
        rootKey: String? = nil
    ) {
        self.mapping = mapping.requestMapping
        self.methods = methods
        self.rootKey = rootKey
        do throws(MappingError) {
            let element = try RequestPlan(self.mapping)
            let object = rootKey == nil ? element : try RequestPlan(self.mapping, rootKey: rootKey)
            compilation = .valid(Plans(object: object, element: element))
        } catch {
            compilation = .invalid(diagnostics: error.diagnostics.map(\.description))
        }
    }

    /// The errors in the mapping; empty for a valid descriptor.
    public var diagnostics: [String] {
        switch compilation {
        case .valid: []
        case .invalid(let diagnostics): diagnostics
        }
    }

    var plans: Plans? {
        switch compilation {
        case .valid(let plans): plans
        case .invalid: nil
        }
    }

    /// Returns a Boolean value that indicates whether the descriptor is for a request method.
    public func matches(method: HTTPRequest.Method) -> Bool {
        methods.contains(method)
    }
}

extension RequestDescriptor: Equatable {
    /// Returns a Boolean value that indicates whether two descriptors map the same objects in the
    /// same way.
    ///
    /// Functions in mappings cannot be compared. Transforms count as equal if their names are equal.
    public static func == (left: RequestDescriptor, right: RequestDescriptor) -> Bool {
        left.methods == right.methods && left.rootKey == right.rootKey
            && left.mapping.isEquivalent(to: right.mapping)
    }
}

extension RequestDescriptor: CustomStringConvertible {
    /// The type, methods and root key, for logs and errors.
    public var description: String {
        var text = mapping.table.name
        if !methods.isAny { text += " for \(methods)" }
        if let rootKey { text += " in \"\(rootKey)\"" }
        return text
    }
}

// MARK: - Selection

extension RequestDescriptor {
    /// The result of selecting the descriptor of an object.
    enum Selection {
        case descriptor(RequestDescriptor, Plans)
        /// The descriptors for the object's type are for other methods.
        case otherMethods
        /// There are no descriptors for the object's type.
        case none
    }

    /// Returns the descriptor of an object for a method; `nil` stands for any method.
    ///
    /// - Complexity: O(*n*) in the number of descriptors.
    static func selection(
        for object: any RequestSubject, _ method: HTTPRequest.Method?,
        among descriptors: [RequestDescriptor]
    ) -> Selection {
        var nearest: RequestDescriptor?
        var isDescribed = false
        for descriptor in descriptors where object.isSubject(of: descriptor.mapping.table) {
            isDescribed = true
            guard descriptor.isFor(method) else { continue }
            if let current = nearest, !descriptor.precedes(current) { continue }
            nearest = descriptor
        }
        guard let nearest, let plans = nearest.plans else {
            return isDescribed ? .otherMethods : .none
        }
        return .descriptor(nearest, plans)
    }

    /// Returns a Boolean value that indicates whether the descriptor is for a method; `nil` stands for
    /// any method.
    func isFor(_ method: HTTPRequest.Method?) -> Bool {
        method.map { methods.contains($0) } ?? true
    }

    /// Returns a Boolean value that indicates whether the descriptor is nearer to an object than one
    /// that was added earlier, and that is for the object too.
    private func precedes(_ other: RequestDescriptor) -> Bool {
        guard mapping.table.isSame(as: other.mapping.table) else {
            return other.mapping.table.holds(mapping.table)
        }
        return methods.precision == .exact && other.methods.precision != .exact
    }
}

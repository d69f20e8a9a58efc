// SPDX-License-Identifier: Apache-2.0

/// The property mappings that were applied to an object.
///
/// A property that kept its value because the new one was equal or was rejected counts.
public struct MappingInfo: Sendable, Hashable {
    /// A property mapping that was applied.
    public struct Applied: Sendable, Hashable {
        /// The source of the value.
        public let source: SourcePath
        /// The name of the property.
        public let destination: String
    }

    /// The name of the type or entity.
    public let mapping: String
    /// The property mappings in the order they were applied; each property once.
    public fileprivate(set) var applied: [Applied] = []
    /// The property mappings applied to related objects, by the property of the relationship.
    public fileprivate(set) var related: [String: [MappingInfo]] = [:]

    /// The property mapping that was applied to a property, or `nil`.
    public subscript(destination: String) -> Applied? {
        applied.first { $0.destination == destination }
    }

    fileprivate init(mapping: String) {
        self.mapping = mapping
    }
}

/// An observer that collects the property mappings applied to each object.
public final class MappingInfoRecorder: MappingObserver {
    /// The information about each object at the root of an observed run.
    public private(set) var infos: [MappingInfo] = []
    private var open: [(destination: String, info: MappingInfo)] = []

    /// Creates a recorder.
    public init() {}

    /// Receives an event.
    public func observe(_ event: MappingEvent) {
        switch event.kind {
        case .began: open.append((event.destination, MappingInfo(mapping: event.mapping)))
        case .set, .unchanged, .rejected:
            guard let last = open.indices.last, open[last].info[event.destination] == nil else {
                return
            }
            open[last].info.applied.append(
                MappingInfo.Applied(source: event.source, destination: event.destination))
        case .ended:
            guard let ended = open.popLast() else { return }
            if let parent = open.indices.last {
                open[parent].info.related[ended.destination, default: []].append(ended.info)
            } else {
                infos.append(ended.info)
            }
        case .selected, .found, .notFound, .willSet, .failed: break
        }
    }
}

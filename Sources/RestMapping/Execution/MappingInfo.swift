// SPDX-License-Identifier: Apache-2.0

/// Which lines of its mapping were applied to an object.
///
/// A property that kept its value because the new one was equal, or was rejected, counts.
public struct MappingInfo: Sendable, Hashable {
    /// One property that was fed.
    public struct Applied: Sendable, Hashable {
        /// Where its value was looked up.
        public let source: SourcePath
        /// Its name.
        public let destination: String
    }

    /// Name of the type or entity.
    public let mapping: String
    /// What was fed, in the order it was; each property once.
    public fileprivate(set) var applied: [Applied] = []
    /// What was fed in the objects that relationships hold, by property.
    public fileprivate(set) var related: [String: [MappingInfo]] = [:]

    /// The line that was applied to a property, or nil.
    public subscript(destination: String) -> Applied? {
        applied.first { $0.destination == destination }
    }

    fileprivate init(mapping: String) {
        self.mapping = mapping
    }
}

/// An observer that collects which properties of which objects were fed.
public final class MappingInfoRecorder: MappingObserver {
    /// One for each object that the runs observed began with.
    public private(set) var infos: [MappingInfo] = []
    private var open: [(destination: String, info: MappingInfo)] = []

    /// Makes a recorder that has observed nothing.
    public init() {}

    /// Takes an event.
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

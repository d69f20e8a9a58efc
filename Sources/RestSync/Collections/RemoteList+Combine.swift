// SPDX-License-Identifier: Apache-2.0

#if canImport(Combine)
public import Combine
import RestPersistence

extension RemoteList {
    /// A publisher of the objects: the current ones, and those after each change of the list.
    ///
    /// Values arrive on the main actor, to which the objects belong.
    public var publisher: AnyPublisher<[Object], Never> {
        let subject = CurrentValueSubject<[Object], Never>([])
        let relay = ObservationRelay(of: { self.objects }, to: { subject.send($0) })
        // The subscriptions retain the relay, and the relay the list.
        return subject.map { objects in withExtendedLifetime(relay) { objects } }
            .eraseToAnyPublisher()
    }
}
#endif

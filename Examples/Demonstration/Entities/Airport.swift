// SPDX-License-Identifier: Apache-2.0

#if Macros
import RestKit

/// An airport in the database.
@Entity final class Airport: ManagedObject {
    @Identity var code: String
    var name: String
    var city: String
    var country: String
    var latitude: Double
    var longitude: Double
    @MappedKey("elevation_ft") var elevation: Int
    var opened: Int?
    @Inverse(\Terminal.airport) var terminals: Set<Terminal>
    @Inverse(\Flight.origin) var departures: Set<Flight>
    @Inverse(\Flight.destination) var arrivals: Set<Flight>
}
#endif

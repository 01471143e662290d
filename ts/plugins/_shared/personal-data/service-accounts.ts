// Accounts of machines, services and everybody: `postgres`, `www-data`, `ec2-user`, `guest`. They stand in every other configuration file.

const accounts: ReadonlySet<string> = new Set(
  [
    // Who rules a system, and who has no name in it
    "root toor admin administrator superuser sysadmin sysop operator sa sys system dba nobody anonymous anon guest public everyone default user username users owner manager me self",
    // Systems as clouds deliver them
    "ubuntu debian centos fedora rhel rocky almalinux alpine arch kali ec2-user ec2user cloud-user clouduser cloud opc core coreos azureuser azure vmadmin bitnami vagrant pi raspberry freebsd",
    // What runs in the background
    "daemon bin sync mail mailnull lp news uucp proxy backup list irc gnats sshd messagebus dbus ntp chrony polkitd avahi cups gdm lightdm sddm nfsnobody samba ftp ftpuser dnsmasq named bind unbound squid",
    "www www-data wwwrun http httpd apache apache2 nginx caddy haproxy traefik tomcat jetty wildfly jboss iusr postfix sendmail dovecot exim openvpn wireguard vpn radius cisco ubnt mikrotik",
    // Stores of data
    "postgres postgresql pgsql pgbouncer patroni mysql mariadb mongo mongodb mongod redis memcached cassandra couchdb influxdb elastic elasticsearch kibana logstash opensearch neo4j oracle oinstall db2inst1 db2admin mssql sqlserver clickhouse",
    "hdfs hive spark hadoop yarn kafka zookeeper rabbitmq activemq nats mosquitto minio ceph etcd vault consul rdsadmin supabase_admin authenticator service_role replicator replication repl repuser",
    // Builds and deployments
    "git gitea gogs gerrit svn github gitlab gitlab-runner gitlab-ci-token github-actions github-actions[bot] actions runner jenkins bamboo teamcity drone travis circleci buildkite ci cd deploy deployer deployment ansible puppet chef salt terraform packer",
    "docker containerd podman kube kubernetes k8s helm argocd flux nexus artifactory sonar sonarqube harbor renovate dependabot dependabot[bot] semantic-release",
    "prometheus grafana loki zabbix nagios icinga telegraf datadog dd-agent newrelic splunk monitor monitoring metrics exporter",
    // What programs are called
    "node nodejs python django flask rails php laravel wordpress wp drupal magento odoo airflow celery superset metabase jupyter jovyan notebook rstudio keycloak ldap openldap krbtgt",
    "app appuser application web webapp webuser webmaster api apiuser apikey worker bot robot service svc serviceaccount support readonly readwrite reader writer maintenance",
    // Names that stand for one
    "demo test tester testuser tests dev developer staging prod production qa local localhost localuser temp tmp dummy example sample foo bar baz foobar someone somebody",
    "x-access-token x-token-auth oauth2 __token__ _json_key",
  ].flatMap((line) => line.split(" ")),
)

/** What a program signs in as: `orders_admin`, `svc-backup`, `systemd-network`. */
export const isRole = (value: string): boolean =>
  /^(?:svc|service|app|bot|ci|db|sys|system|systemd)[._-]|[._-](?:admin|user|svc|service|app|bot|db|root|reader|writer|readonly|owner|role|ci|runner)\d?$/i.test(
    value,
  )

/** Whether a name is that of an account that no person has alone. A number, a machine or a domain may stand beside it. */
export function isServiceAccount(value: string): boolean {
  const name = value
    .toLowerCase()
    .replace(/^@|(?<=.)@.*$/g, "")
    .replace(/^.*[\\/]/, "")
  return accounts.has(name) || accounts.has(name.replace(/[_-]?\d{1,3}$/, ""))
}
